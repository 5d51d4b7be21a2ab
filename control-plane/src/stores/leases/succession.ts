import type { ConsumerCare } from '@probe-mesh/bus/port'
import { partitions } from '@probe-mesh/contracts/mesh/subjects'
import type { Logger } from 'pino'
import type { Sql } from '../postgres/connect.ts'
import { countOwnedPartitions } from './leases-store.ts'
import { faultsOf, keepLooping } from '../faults.ts'
import { ownEpoch, raiseFence } from '../postgres/schema-epoch.ts'

const busyMs = 1_000
const idleMs = 10_000

/**
 * Replaces control planes that read from consumers of an earlier version. They lose their partitions to
 * control planes of this version first. Only then are their consumers removed, which keep messages until
 * then. Creates missing consumers of this version again. Resolves when older control planes can no longer
 * acquire a partition while this version runs.
 */
export const startSuccession = async (capabilities: {
  sql: Sql
  /** Absent: the bus manages its consumers itself. */
  consumers: ConsumerCare | undefined
  /** Whether a newer version took over: it may have removed the consumers of this version. */
  isSuperseded: () => boolean
  log: Logger
}): Promise<{ close(): Promise<void> }> => {
  const { sql, consumers, isSuperseded, log } = capabilities
  if (consumers === undefined) return { close: async () => undefined }

  /** @returns whether nothing is left to do */
  const step = async (): Promise<boolean> => {
    if (isSuperseded()) return true
    if (!(await consumers.areOursThere())) {
      log.warn({}, 'consumers are missing in NATS; creating them again')
      await consumers.declareOurs()
    }
    if (!(await consumers.areFormerThere())) return true
    await raiseFence(sql, ownEpoch)
    if ((await countOwnedPartitions(sql, ownEpoch)) < partitions.length) return false
    await consumers.removeFormer()
    log.info({}, 'control planes of this version own all partitions; older consumers are removed')
    return true
  }
  let isDone = true
  const takeStep = async (): Promise<void> => {
    isDone = await step()
  }
  const what = 'the streams and consumers in NATS cannot be read or created'
  const hasBegun = await faultsOf(log).attempt({ what }, takeStep)
  const waitMs = (): number => (isDone ? idleMs : busyMs)
  const loop = keepLooping(log, {
    what,
    round: takeStep,
    everyMs: waitMs,
    firstMs: hasBegun ? waitMs() : busyMs,
  })
  return { close: loop.close }
}
