import { attemptsMsMaxOf, isRetriedAtOnce } from '@probe-mesh/contracts/assignment'
import type { Assignment } from '@probe-mesh/contracts/assignment'
import type { Region } from '@probe-mesh/contracts/regions'
import type { Bus } from '@probe-mesh/bus/port'
import type { Logger } from 'pino'
import type { AssessMetrics } from './metrics.ts'
import type { Confirmation } from './book.ts'

/** Confirmations under way and waiting: beyond, the regions' own slots confirm a little later. */
const underWayMax = 64
const waitingMax = 2_000
const replySlackMs = 1_000

export type Confirmer = { ask(confirmation: Confirmation): void; close(): Promise<void> }

/**
 * Asks a check's other regions at once after a first failure, unless asking would repeat an effect. Their readings come back through
 * the stream like any other; the reply only says that somebody took the question.
 */
export const createConfirmer = (capabilities: {
  bus: Bus
  /** The check's assignment for a region as it stands now; null when it is gone. */
  assignmentFor: (checkId: string, region: Region) => Promise<Assignment | null>
  metrics: AssessMetrics
  log: Logger
  now: () => number
}): Confirmer => {
  const { bus, assignmentFor, metrics, log, now } = capabilities
  const waiting: { checkId: string; region: Region }[] = []
  const underWay = new Set<Promise<void>>()
  let closed = false

  const askOne = async (checkId: string, region: Region): Promise<void> => {
    const assignment = await assignmentFor(checkId, region)
    if (assignment === null || !isRetriedAtOnce(assignment)) return
    const reply = await bus.runs.request(
      region,
      { kind: 'confirmation', at: now(), number: 0, assignment },
      attemptsMsMaxOf(assignment) + replySlackMs,
    )
    metrics.confirmations.inc({ outcome: typeof reply === 'string' ? reply : 'answered' })
  }

  const pump = (): void => {
    while (underWay.size < underWayMax) {
      const next = waiting.shift()
      if (next === undefined || closed) return
      const asking = askOne(next.checkId, next.region)
        .catch((error: unknown) => {
          log.warn({ err: error, checkId: next.checkId }, 'confirmation could not be asked')
        })
        .finally(() => {
          underWay.delete(asking)
          pump()
        })
      underWay.add(asking)
    }
  }

  return {
    ask: ({ checkId, regions }) => {
      for (const region of regions) {
        if (waiting.length >= waitingMax) metrics.confirmations.inc({ outcome: 'dropped' })
        else waiting.push({ checkId, region })
      }
      pump()
    },
    close: async () => {
      closed = true
      waiting.length = 0
      await Promise.allSettled(underWay)
    },
  }
}
