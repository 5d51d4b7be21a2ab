import { chmodSync, lstatSync, readdirSync } from 'node:fs'
import { join } from 'node:path'

const others = 0o077
/** Others may traverse the data directory: under root Postgres may run as another user. */
const passable = 0o011
const sticky = 0o1000

/** Our names in a data directory; anything else stays unchanged. */
export const ownNames: readonly string[] = [
  'assignments',
  'bus',
  'clickhouse',
  'credentials.json',
  'embedded.json',
  'lock',
  'lock-journal',
  'postgres',
  'secrets.key',
  'spool',
]
/** The databases keep thousands of files below a closed folder. */
const storeNames = new Set(['clickhouse', 'postgres'])

/** Makes this process write files that only its own user can read. */
export const writePrivateFiles = (): void => {
  process.umask(others)
}

/**
 * Removes permissions of other users that an earlier version left in a data directory.
 * @returns the failures, with their reasons
 */
export const narrowDataDir = (dataDir: string): string[] => {
  const failures: string[] = []
  const tryTo = (act: () => void): void => {
    try {
      act()
    } catch (error) {
      // it does not exist, or no longer
      if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return
      failures.push(error instanceof Error ? error.message : String(error))
    }
  }
  const narrow = (path: string, isDeep: boolean): void => {
    const stats = lstatSync(path)
    if (stats.isSymbolicLink()) return
    if ((stats.mode & others) !== 0) chmodSync(path, stats.mode & 0o700)
    if (!isDeep || !stats.isDirectory()) return
    for (const name of readdirSync(path)) tryTo(() => narrow(join(path, name), isDeep))
  }
  tryTo(() => {
    const { mode } = lstatSync(dataDir)
    // a world-writable folder, such as /tmp, stays open
    if ((mode & sticky) === 0) chmodSync(dataDir, mode & (0o700 | passable))
  })
  for (const name of ownNames) tryTo(() => narrow(join(dataDir, name), !storeNames.has(name)))
  return failures
}
