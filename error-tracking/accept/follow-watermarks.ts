import { keepLooping } from '@probe-mesh/control-plane/src/stores/faults'
import type { Logger } from 'pino'
import { withDeadline } from '@probe-mesh/runtime/deadline'
import type { Sql } from '@probe-mesh/control-plane/src/stores/postgres/connect'
import { findErrorWatermark } from '../persist/error-batches-store.ts'
import type { StreamBacklog } from './stream-backlog.ts'

const paceMs = 1_000
const queryMsMax = 5_000

/** Updates a backlog with the watermarks of the partitions that have waiting messages. */
export const followWatermarks = (capabilities: {
  sql: Sql
  backlog: StreamBacklog
  log: Logger
}): { refresh(): Promise<void>; close(): Promise<void> } => {
  const { sql, backlog, log } = capabilities
  const refresh = async (): Promise<void> => {
    for (const partition of backlog.partitions()) {
      const watermark = await findErrorWatermark(sql, partition)
      if (watermark !== null) backlog.counted(partition, watermark.sequence)
    }
  }
  const loop = keepLooping(log, {
    what: 'watermarks of error events cannot be read',
    everyMs: paceMs,
    round: async () => {
      await withDeadline(refresh(), queryMsMax)
    },
  })
  return {
    refresh,
    close: loop.close,
  }
}
