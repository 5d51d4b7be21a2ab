import { execFile } from 'node:child_process'
import { mkdir, statfs } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)
const bytes = 6 * 1024 ** 3
/** What a full disk still takes: a file system rounds to pages. */
const restBytes = 64 * 1024
const triesMax = 20

export type SmallDisks = {
  /** Makes the disk of a folder as large as what is on it. */
  fill(name: string): Promise<void>
  makeRoom(name: string): Promise<void>
  close(): Promise<void>
}

/**
 * Puts folders on disks in memory of their own. A full one is made smaller and not filled, so it costs no memory.
 * @throws Error if this user may not mount
 */
export const mountSmallDisks = async (folder: string, names: readonly string[]): Promise<SmallDisks> => {
  const mounted: string[] = []
  for (const name of names) {
    const path = join(folder, name)
    await mkdir(path, { recursive: true, mode: 0o700 })
    await run('mount', ['-t', 'tmpfs', '-o', `size=${bytes},mode=700`, 'tmpfs', path])
    mounted.push(path)
  }
  const resize = (path: string, size: number) => run('mount', ['-o', `remount,size=${size}`, path])
  return {
    fill: async (name) => {
      const path = join(folder, name)
      for (let tries = 1; ; tries++) {
        const { blocks, bfree, bsize } = await statfs(path)
        try {
          await resize(path, (blocks - bfree) * bsize + restBytes)
          return
        } catch (error) {
          // what was written meanwhile does not fit
          if (tries === triesMax) throw error
        }
      }
    },
    makeRoom: async (name) => {
      await resize(join(folder, name), bytes)
    },
    close: async () => {
      for (const path of mounted.splice(0)) await run('umount', ['--lazy', path])
    },
  }
}
