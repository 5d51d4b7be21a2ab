import { codeOf } from '@probe-mesh/runtime/errors'
import { closeSync, openSync, readSync } from 'node:fs'
import { toHeldAssignment, type HeldAssignment } from '@probe-mesh/contracts/mesh/assignment'
import { Uuid } from '@probe-mesh/contracts/schema/ids'
import type { Region } from '@probe-mesh/contracts/reading/regions'
import { parseForeignJson } from '@probe-mesh/contracts/schema/foreign-json'

/** A longer line was not written by this program. */
export const lineBytesMax = 1024 * 1024
const chunkBytes = 1024 * 1024
const newline = 0x0a

/** The content of a file of lines: the last put of each check that was not removed. */
type CachedAssignments = {
  assignments: HeldAssignment[]
  /** All lines of the file, including unreadable ones. */
  lines: number
  /** Unreadable lines: torn by a kill, damaged, or from another region. */
  unreadable: number
  /** Whether the last line is incomplete: the next write must start a new line. */
  isTorn: boolean
}

export const putLine = (assignment: HeldAssignment): string => `${JSON.stringify({ put: assignment })}\n`

export const removedLine = (checkId: string): string => `${JSON.stringify({ removed: checkId })}\n`

/**
 * Reads a file of lines; the last line of a check counts. A missing file is empty.
 * @throws Error when the file cannot be read
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
 * Calls `onLine` with each line without its end; null replaces a line that is too long.
 * @returns whether the last line is incomplete
 */
const eachLine = (path: string, onLine: (text: string | null) => void): boolean => {
  const fd = openIfThere(path)
  if (fd === null) return false
  try {
    const chunk = Buffer.alloc(chunkBytes)
    /** The start of an incomplete line; null once it is too long. */
    let begun: Buffer | null = Buffer.alloc(0)
    for (;;) {
      const length = readSync(fd, chunk)
      if (length === 0) break
      let from = 0
      for (;;) {
        const end = chunk.subarray(0, length).indexOf(newline, from)
        const part = chunk.subarray(from, end === -1 ? length : end)
        begun = begun === null || begun.length + part.length > lineBytesMax ? null : join(begun, part)
        if (end === -1) break
        onLine(begun === null ? null : begun.toString())
        begun = Buffer.alloc(0)
        from = end + 1
      }
    }
    const isTorn = begun === null || begun.length > 0
    if (isTorn) onLine(begun === null ? null : begun.toString())
    return isTorn
  } finally {
    closeSync(fd)
  }
}

/** Copies: the chunk buffer is reused. */
const join = (begun: Buffer, part: Buffer): Buffer => Buffer.concat([begun, part])

const openIfThere = (path: string): number | null => {
  try {
    return openSync(path, 'r')
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return null
    throw error
  }
}
