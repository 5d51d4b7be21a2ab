import { accessSync, constants, statSync } from 'node:fs'
import { delimiter, isAbsolute, join } from 'node:path'

/** Usual paths of distributions, then names searched in PATH. */
const usualPaths = ['/usr/bin/chromium', '/usr/bin/chromium-browser']
const usualNames = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable']

/**
 * Finds the Chromium for browser checks.
 * @param setting `CHROMIUM`: a path, `off`, or null to search
 * @param searchPath `PATH`
 * @returns null when there is none; a problem when the setting is not an executable file
 */
export const findChromium = (
  setting: string | null,
  searchPath: string,
): { ok: true; path: string | null } | { ok: false; problem: string } => {
  if (setting === 'off') return { ok: true, path: null }
  if (setting !== null) {
    if (isAbsolute(setting) && isProgram(setting)) return { ok: true, path: setting }
    const problem = 'CHROMIUM must be the absolute path of an executable file, or off'
    return { ok: false, problem }
  }
  const folders = searchPath.split(delimiter).filter(isAbsolute)
  const inPath = usualNames.flatMap((name) => folders.map((folder) => join(folder, name)))
  return { ok: true, path: [...usualPaths, ...inPath].find(isProgram) ?? null }
}

const isProgram = (path: string): boolean => {
  try {
    accessSync(path, constants.X_OK)
    return statSync(path).isFile()
  } catch {
    return false
  }
}
