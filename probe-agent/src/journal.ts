import { closeSync, fstatSync, mkdirSync, openSync, readSync, writeSync } from 'node:fs'
import { dirname } from 'node:path'
import type { Logger } from '@probe-mesh/bus/logger'
import { readingId, type Reading } from '@probe-mesh/contracts/reading/reading'
import { partitions } from '@probe-mesh/contracts/mesh/subjects'
import type { Spool } from './publish/spool/spool.ts'

/**
 * The ids of all readings that this agent spooled, one a line: an independent count for an audit.
 * An id may occur twice: read it as a set.
 */
export type Journal = {
  /** Call right after the reading is spooled, in the same tick. Never throws. */
  append(reading: Reading): void
  close(): void
}

/** Beyond this size the journal accepts nothing, and logs that once. */
const journalBytesMax = 1024 * 1024 * 1024

/** Part of the journal's end that is compared with the spool at start. */
const tailBytes = 16 * 1024 * 1024

/** Newest readings of a partition that are compared: at most one can be missing. */
const comparedPerPartition = 4_096

/**
 * Opens the journal, and first adds readings that a killed process spooled and did not write here.
 */
export const openJournal = (options: { path: string; spool: Spool; log: Logger }): Journal => {
  mkdirSync(dirname(options.path), { recursive: true })
  const fd = openSync(options.path, 'a+')
  let bytes = fstatSync(fd).size
  let failed = false

  const write = (text: string) => {
    if (bytes + text.length > journalBytesMax) throw new Error('the journal is full')
    bytes += writeSync(fd, text)
  }
  const tail = readTail(fd, bytes)
  if (tail.length > 0 && !tail.endsWith('\n')) write('\n')
  const written = new Set(tail.split('\n'))
  const missing = spooledIds(options.spool).filter((id) => !written.has(id))
  if (missing.length > 0) write(`${missing.join('\n')}\n`)

  return {
    append: (reading) => {
      try {
        write(`${readingId(reading)}\n`)
        failed = false
      } catch (error) {
        if (!failed) options.log.error({ err: error }, 'writing to the journal failed')
        failed = true
      }
    },
    close: () => closeSync(fd),
  }
}

const readTail = (fd: number, bytes: number): string => {
  const length = Math.min(bytes, tailBytes)
  const tail = Buffer.alloc(length)
  readSync(fd, tail, 0, length, bytes - length)
  return tail.toString()
}

const spooledIds = (spool: Spool): string[] =>
  partitions.flatMap((partition) => {
    const log = spool.partition(partition)
    const from = Math.max(log.first, log.last - comparedPerPartition + 1)
    return log
      .read(from, { countMax: comparedPerPartition, bytesMax: Number.POSITIVE_INFINITY })
      .map(({ bytes }) => readingId(parseSpooled(bytes)))
  })

/** A reading from the spool: only `encodeReading` writes it, and a checksum protects it. */
const parseSpooled = (bytes: Uint8Array): Reading => JSON.parse(Buffer.from(bytes).toString()) as Reading
