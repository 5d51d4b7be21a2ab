import { codeOf } from '@probe-mesh/runtime/errors'
import { lstat } from 'node:fs/promises'
import { join } from 'node:path'
import { ownNames } from '../../../start/processes/private-files.ts'

/** Paths of a data directory that other users of the machine can read or change. */
export const gatherOpenFiles = async (dataDir: string): Promise<string[]> => {
  const looked = await Promise.all([
    // execute permission alone reveals nothing
    isOpen(dataDir, 0o066),
    ...ownNames.map((name) => isOpen(join(dataDir, name), 0o077)),
  ])
  return looked.filter((path) => path !== null)
}

const isOpen = async (path: string, mask: number): Promise<string | null> => {
  try {
    const stats = await lstat(path)
    return !stats.isSymbolicLink() && (stats.mode & mask) !== 0 ? path : null
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return null
    throw error
  }
}
