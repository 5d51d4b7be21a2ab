import type { ConsumerCare } from '@probe-mesh/bus/port'
import type { Logger } from 'pino'
import { faultsOf, keepLooping } from '../faults.ts'

const everyMs = 10_000
/** After a start without an answer. */
const soonMs = 1_000

/** Creates consumers of this version again that are missing in NATS. */
export const keepConsumers = async (capabilities: {
  /** Absent: the bus manages its consumers itself. */
  consumers: ConsumerCare | undefined
  /** Whether a newer version took over: it may have removed the consumers of this version. */
  isSuperseded: () => boolean
  log: Logger
}): Promise<{ close(): Promise<void> }> => {
  const { consumers, isSuperseded, log } = capabilities
  if (consumers === undefined) return { close: async () => undefined }

  const round = async (): Promise<void> => {
    if (isSuperseded()) return
    if (!(await consumers.areOursThere())) {
      log.warn({}, 'consumers are missing in NATS; creating them again')
      await consumers.declareOurs()
    }
  }
  const what = 'the streams and consumers in NATS cannot be read or created'
  const hasBegun = await faultsOf(log).attempt({ what }, round)
  const loop = keepLooping(log, { what, round, everyMs, firstMs: hasBegun ? everyMs : soonMs })
  return { close: loop.close }
}
