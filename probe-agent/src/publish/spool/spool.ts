import { join } from 'node:path'
import { openLog, type Log } from '@probe-mesh/bus/log/log'
import { partitionOf, partitions } from '@probe-mesh/contracts/mesh/subjects'
import { limits } from '@probe-mesh/contracts/schema/limits'
import type { Reading } from '@probe-mesh/contracts/reading/reading'
import { appendKeepingFailures } from './keep-failures.ts'

/** Readings that the spool lost since it was opened. */
type SpoolLosses = { full: number; old: number; damaged: number }

/**
 * Readings on disk until the control plane has stored them: one log per partition, which survives
 * kill -9.
 */
export type Spool = {
  /** The log of a partition, read and released by the publisher. */
  partition(partition: number): Log
  /**
   * Appends a reading synchronously. A full partition drops its oldest readings, `up` first.
   * @throws BusUnavailable when the disk refuses it
   */
  append(encoded: EncodedReading): void
  /** Drops whole segments of readings that are too old for ingest. */
  dropOld(): void
  /** Readings and bytes not stored yet, and the losses. */
  stats(): { readings: number; bytes: number; losses: SpoolLosses }
  close(): void
}

/** A reading as stored and sent: JSON text, and the partition of its check. */
export type EncodedReading = { partition: number; bytes: Uint8Array }

export const encodeReading = (reading: Reading): EncodedReading => ({
  partition: partitionOf(reading.checkId),
  bytes: Buffer.from(JSON.stringify(reading)),
})

/** A full partition drops one of this many segments. */
const segmentsPerPartition = 8

/**
 * Opens the spool of one agent (S-707).
 * @param options.bytesMax of the whole spool; each partition has an equal share
 */
export const openSpool = (options: { directory: string; bytesMax: number; now: () => number }): Spool => {
  const { directory, bytesMax, now } = options
  const partitionBytesMax = Math.floor(bytesMax / limits.partitions)
  const segmentBytesMax = Math.floor(partitionBytesMax / segmentsPerPartition)
  /** Readings that their log counted as dropped and that were appended again. */
  let carried = 0
  const open = (partition: number): Log =>
    openLog({
      directory: join(directory, String(partition)),
      bytesMax: partitionBytesMax,
      segmentBytesMax,
      whenFull: 'drop-oldest',
      now,
    })
  const logs = partitions.map(open)
  const logOf = (partition: number): Log => {
    const log = logs[partition]
    if (log === undefined) throw new RangeError(`no partition ${partition}`)
    return log
  }
  const sumOf = (value: (log: Log) => number): number => logs.reduce((sum, log) => sum + value(log), 0)

  return {
    partition: logOf,
    append: ({ partition, bytes }) => {
      const bounds = { bytesMax: partitionBytesMax, segmentBytesMax }
      carried += appendKeepingFailures(logOf(partition), bytes, bounds)
    },
    dropOld: () => {
      for (const log of logs) log.dropOlderThan(now() - limits.readingAgeMsMax)
    },
    stats: () => ({
      readings: sumOf((log) => log.count),
      bytes: sumOf((log) => log.bytes),
      losses: {
        full: sumOf((log) => log.losses().full) - carried,
        old: sumOf((log) => log.losses().old),
        damaged: sumOf((log) => log.losses().damaged),
      },
    }),
    close: () => {
      for (const log of logs) log.close()
    },
  }
}
