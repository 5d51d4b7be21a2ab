import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { z } from 'zod'

const Members = z.object({ members: z.array(z.string().min(1).max(200)).max(10_000) })

/**
 * Who shared the region when that was last known; empty when there is no such file.
 * @throws Error when there is one and it cannot be read
 */
export const readMembers = (path: string): string[] => {
  try {
    return Members.parse(JSON.parse(readFileSync(path, 'utf8'))).members
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return []
    throw error
  }
}

/** Whole or not at all. @throws Error when the disk does not take it */
export const writeMembers = (path: string, members: readonly string[]): void => {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(`${path}.new`, `${JSON.stringify({ members })}\n`)
  renameSync(`${path}.new`, path)
}
