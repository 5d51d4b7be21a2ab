import { closeSync, openSync, readSync } from 'node:fs'
import { toHeldAssignment } from '@probe-mesh/contracts/mesh/assignment'
import type { HeldAssignment } from '@probe-mesh/contracts/mesh/assignment'
import { Uuid } from '@probe-mesh/contracts/schema/ids'
import type { Region } from '@probe-mesh/contracts/reading/regions'
import { parseForeignJson } from '@probe-mesh/contracts/schema/foreign-json'

/** A line longer than this is none of ours. */
export const lineBytesMax = 1024 * 1024
const chunkBytes = 1024 * 1024
const newline = 0x0a

/** What a file of lines says: a put with its assignment, or the id of what was removed. */
export type CachedAssignments = {
  assignments: HeldAssignment[]
  /** In the file, unreadable ones included. */
  lines: number
  /** Lines that tell nothing: torn by a kill, damaged, or of another region. */
  unreadable: number
  /** Whether the last line has no end: the next one must not be written behind it. */
  isTorn: boolean
}

export const putLine = (assignment: HeldAssignment): string =>
  `${JSON.stringify({ put: assignment })}\n`

export const removedLine = (checkId: string): string => `${JSON.stringify({ removed: checkId })}\n`

/**
 * Reads a file of lines, the last one of a check counting; a file that is not there is empty.
 * @throws Error when there is one and it cannot be read
 */
export const readLines = (path: string, region: Region): CachedAssignments => {
  const live = new Map<string, unknown>()
  let lines = 0
  let unreadable = 0
  const isTorn = eachLine(path, (text) => {
    lines++
    const line = text === null ? null : parseLine(text)
    if (line === null) unreadable++
    else if (line.put === null) live.delete(line.checkId)
    else live.set(line.checkId, line.put)
  })
  const assignments: HeldAssignment[] = []
  for (const put of live.values()) {
    const held = toHeldAssignment(put)
    if (held?.region === region) assignments.push(held)
    else unreadable++
  }
  return { assignments, lines, unreadable, isTorn }
}

const parseLine = (text: string): { checkId: string; put: unknown } | null => {
  try {
    const line = parseForeignJson(text)
    if (typeof line !== 'object' || line === null) return null
    if ('removed' in line) {
      const removed = Uuid.safeParse(line.removed)
      return removed.success ? { checkId: removed.data, put: null } : null
    }
    if (!('put' in line) || typeof line.put !== 'object' || line.put === null) return null
    const checkId = Uuid.safeParse('checkId' in line.put ? line.put.checkId : null)
    return checkId.success ? { checkId: checkId.data, put: line.put } : null
  } catch {
    return null
  }
}

/**
 * Hands over each line without its end; null stands for one that is too long.
 * @returns whether the last line had no end
 */
const eachLine = (path: string, take: (text: string | null) => void): boolean => {
  const fd = openIfThere(path)
  if (fd === null) return false
  try {
    const chunk = Buffer.alloc(chunkBytes)
    /** The beginning of a line whose end is not read yet; null once it is too long. */
    let begun: Buffer | null = Buffer.alloc(0)
    for (;;) {
      const length = readSync(fd, chunk)
      if (length === 0) break
      let from = 0
      for (;;) {
        const end = chunk.subarray(0, length).indexOf(newline, from)
        const part = chunk.subarray(from, end === -1 ? length : end)
        begun =
          begun === null || begun.length + part.length > lineBytesMax ? null : join(begun, part)
        if (end === -1) break
        take(begun === null ? null : begun.toString())
        begun = Buffer.alloc(0)
        from = end + 1
      }
    }
    const isTorn = begun === null || begun.length > 0
    if (isTorn) take(begun === null ? null : begun.toString())
    return isTorn
  } finally {
    closeSync(fd)
  }
}

/** A copy: the chunk is read into again. */
const join = (begun: Buffer, part: Buffer): Buffer => Buffer.concat([begun, part])

const openIfThere = (path: string): number | null => {
  try {
    return openSync(path, 'r')
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null
    throw error
  }
}
