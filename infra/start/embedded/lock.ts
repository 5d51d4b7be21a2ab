import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'

/** Holds a folder until it is released or this process ends, in whatever way. */
export type FolderLock = { release(): void }

/**
 * Takes a folder for this process alone. It is the kernel's lock on a file, by way of SQLite's
 * transaction on an empty database: unlike a written process number it cannot be left behind, and
 * it holds between containers that share the folder.
 * @returns null when another holds it
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
