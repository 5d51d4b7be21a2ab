import { pause } from '@probe-mesh/runtime/pause'
import type { Logger } from 'pino'
import { withDeadline } from '@probe-mesh/runtime/deadline'
import type { Sql } from '../../stores/postgres/connect.ts'
import { findErrorWatermark } from '../persist/error-batches-store.ts'
import type { StreamBacklog } from './stream-backlog.ts'

const paceMs = 1_000
const lookMsMax = 5_000

/** Tells a backlog how far each partition is counted, as long as something of it waits. */
export const followWatermarks = (capabilities: {
  sql: Sql
  backlog: StreamBacklog
  log: Logger
}): { refresh(): Promise<void>; close(): Promise<void> } => {
  const { sql, backlog, log } = capabilities
  const closing = new AbortController()
  const refresh = async (): Promise<void> => {
    for (const partition of backlog.partitions()) {
      const watermark = await findErrorWatermark(sql, partition)
      if (watermark !== null) backlog.counted(partition, watermark.sequence)
    }
  }
  const run = async (): Promise<void> => {
    while (!closing.signal.aborted) {
      try {
        await withDeadline(refresh(), lookMsMax)
      } catch (error) {
        log.warn({ err: error }, 'how far error events are counted cannot be read; trying again')
      }
      await pause(paceMs, closing.signal)
    }
  }
  const running = run()
  return {
    refresh,
    close: async () => {
      closing.abort()
      await running
    },
  }
}
