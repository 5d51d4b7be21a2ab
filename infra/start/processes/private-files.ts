import { chmodSync, lstatSync, readdirSync } from 'node:fs'
import { join } from 'node:path'

const others = 0o077
/** Others may pass through the data directory: as root Postgres may run as another user. */
const passable = 0o011
const sticky = 0o1000

/** What a data directory holds of ours; anything else in it is left as it is. */
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
/** The stores keep thousands of files below a folder that is closed. */
const storeNames = new Set(['clickhouse', 'postgres'])

/** From now on this process writes files that its own user alone can read. */
export const writePrivateFiles = (): void => {
  process.umask(others)
}

/**
 * Takes from others what an earlier version let them read of a data directory.
 * @returns what could not be changed, with the reason
 */
export const narrowDataDir = (dataDir: string): string[] => {
  const failures: string[] = []
  const tryTo = (act: () => void): void => {
    try {
      act()
    } catch (error) {
      // it is not there, or no longer
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
    // a folder that everybody writes to, such as /tmp, is not ours to close
    if ((mode & sticky) === 0) chmodSync(dataDir, mode & (0o700 | passable))
  })
  for (const name of ownNames) tryTo(() => narrow(join(dataDir, name), !storeNames.has(name)))
  return failures
}
