import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'

/** A lock on a folder until it is released or this process ends in any way. */
export type FolderLock = { release(): void }

/**
 * Locks a folder for this process. SQLite's transaction on an empty database takes a kernel lock on a file:
 * unlike a file with a process id it cannot be left behind, and it works between containers that share the
 * folder.
 * @returns null if another process holds it
 */
export const lockFolder = (folder: string): FolderLock | null => {
  const database = new DatabaseSync(join(folder, 'lock'), { timeout: 0 })
  try {
    database.exec('begin exclusive')
  } catch (error) {
    database.close()
    if (error instanceof Error && /database is locked/.test(error.message)) return null
    throw new Error(`cannot lock ${folder}`, { cause: error })
  }
  return {
    release: () => {
      if (database.isOpen) database.close()
    },
  }
}
