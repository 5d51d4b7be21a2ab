import { statfs } from 'node:fs/promises'

/** The space of a disk, bytes. */
export type DiskSpace = { freeBytes: number; totalBytes: number }

/** Free space below `bytes`, or below both `share` and `roomy`: a share of a large disk is still large. */
const low = { share: 0.15, bytes: 2e9, roomy: 20e9 }
const full = { share: 0.05, bytes: 5e8, roomy: 5e9 }

/** Whether a disk has enough free space. */
export const diskLevel = ({ freeBytes, totalBytes }: DiskSpace): 'enough' | 'low' | 'full' => {
  const share = totalBytes === 0 ? 0 : freeBytes / totalBytes
  const isBelow = (bound: typeof low) =>
    freeBytes < bound.bytes || (share < bound.share && freeBytes < bound.roomy)
  return isBelow(full) ? 'full' : isBelow(low) ? 'low' : 'enough'
}

/** The space that this user has on the disk of a path. @throws Error for a path that does not exist */
export const readDiskSpace = async (path: string): Promise<DiskSpace> => {
  const { bavail, blocks, bsize } = await statfs(path)
  return { freeBytes: bavail * bsize, totalBytes: blocks * bsize }
}
