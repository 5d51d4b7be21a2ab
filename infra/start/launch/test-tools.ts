import { execFileSync } from 'node:child_process'
import { accessSync, constants } from 'node:fs'
import { delimiter, join } from 'node:path'

/** Commands that tests need and npm does not install, with their Debian packages. */
const testTools = { openssl: 'openssl', curl: 'curl', bash: 'bash', sh: 'dash' } as const

/** The commands that are missing on a PATH. */
export const missingTools = (names: readonly string[], path: string): string[] =>
  names.filter((name) => !path.split(delimiter).some((folder) => isExecutable(join(folder, name))))

const isExecutable = (file: string): boolean => {
  try {
    accessSync(file, constants.X_OK)
    return true
  } catch {
    return false
  }
}

/**
 * Makes sure that the commands exist: installs them with the package manager if permitted, else names what to
 * install. No test is skipped because of a missing tool.
 * @throws Error that names the missing commands
 */
export const ensureTestTools = (path: string): void => {
  const names = Object.keys(testTools)
  const missing = missingTools(names, path)
  if (missing.length === 0) return
  const packages = missing.map((name) => testTools[name as keyof typeof testTools])
  const mayInstall = process.getuid?.() === 0 && missingTools(['apt-get'], path).length === 0
  if (mayInstall) {
    console.error(`probe-mesh: installing ${packages.join(', ')} for the tests`)
    execFileSync('apt-get', ['install', '-y', '-qq', '--no-install-recommends', ...packages], {
      stdio: ['ignore', 'ignore', 'inherit'],
    })
  }
  const stillMissing = missingTools(names, path)
  if (stillMissing.length === 0) return
  throw new Error(
    `the tests need ${stillMissing.join(', ')}; on Debian: apt-get install ${packages.join(' ')}`,
  )
}
