import { startLoop } from '@probe-mesh/runtime/loop'
import type { ConsumerCare } from '@probe-mesh/bus/port'
import { partitions } from '@probe-mesh/contracts/mesh/partition'
import type { Logger } from 'pino'
import type { Sql } from '../postgres/connect.ts'
import { countWorked } from './leases-store.ts'
import { ownEpoch, raiseFence } from '../postgres/schema-epoch.ts'

const hurryMs = 1_000
const idleMs = 10_000

/**
 * Takes the place of control planes that read from consumers of an earlier version: first they lose their
 * partitions, which those of this version take, and only then are the consumers removed, which hold messages
 * until then. Makes its own again where they are missing. Resolves when older control planes can no longer take a
 * partition beside this version.
 */
export const startSuccession = async (capabilities: {
  sql: Sql
  /** Absent: the bus keeps its consumers itself. */
  consumers: ConsumerCare | undefined
  /** Whether a newer version took over: it may have removed ours. */
  isSuperseded: () => boolean
  log: Logger
}): Promise<{ close(): Promise<void> }> => {
  const { sql, consumers, isSuperseded, log } = capabilities
  if (consumers === undefined) return { close: async () => undefined }

  /** @returns whether nothing is left to do */
  const step = async (): Promise<boolean> => {
    if (isSuperseded()) return true
    if (!(await consumers.areOursThere())) {
      log.warn({}, 'consumers are missing in nats; they are made again')
      await consumers.declareOurs()
    }
    if (!(await consumers.areFormerThere())) return true
    await raiseFence(sql, ownEpoch)
    if ((await countWorked(sql, ownEpoch)) < partitions.length) return false
    await consumers.removeFormer()
    log.info({}, 'control planes of this version have all partitions; older consumers are removed')
    return true
  }
  const tryStep = (): Promise<boolean> =>
    step().catch((error: unknown) => {
      log.warn({ err: error }, 'the consumers in nats cannot be looked at now')
      return true
    })
  let isDone = await tryStep()
  const waitMs = (): number => (isDone ? idleMs : hurryMs)
  const loop = startLoop({
    round: async () => {
      isDone = await tryStep()
    },
    everyMs: waitMs,
    firstMs: waitMs(),
    onError: (error) => {
      throw error
    },
  })
  return { close: loop.close }
}
