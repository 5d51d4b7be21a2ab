import { execFileSync } from 'node:child_process'
import { accessSync, constants } from 'node:fs'
import { delimiter, join } from 'node:path'

/** Commands that tests run and npm does not bring, and the Debian package of each. */
export const testTools = { openssl: 'openssl', curl: 'curl', bash: 'bash', sh: 'dash' } as const

/** Which of these commands are not on a PATH. */
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
 * Sees to it that the tests find what they run: from the system's package manager where we may,
 * else by saying what to install. Nothing is skipped for the want of a tool.
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
