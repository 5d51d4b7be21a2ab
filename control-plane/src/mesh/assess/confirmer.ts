import { askedRunMsMaxOf, isRetriedAtOnce } from '@probe-mesh/contracts/mesh/assignment'
import type { Assignment } from '@probe-mesh/contracts/mesh/assignment'
import { agentPools } from '@probe-mesh/contracts/agent/agent-pools'
import type { Region } from '@probe-mesh/contracts/reading/regions'
import { pause } from '@probe-mesh/bus/pause'
import type { Bus } from '@probe-mesh/bus/port'
import { createFairPool } from '@probe-mesh/runtime/fair-pool'
import type { FairPool } from '@probe-mesh/runtime/fair-pool'
import type { Logger } from 'pino'
import type { AssessMetrics } from './metrics.ts'
import type { Confirmation } from './assessment-state.ts'

/** How often a busy region is asked for one confirmation, and the pause before it is asked again. */
const asksMax = 3
const busyPauseMs = 1_000

export type Confirmer = { ask(confirmation: Confirmation): void; close(): Promise<void> }

/**
 * Asks a check's regions at once after a first failure or a first good reading, unless asking would repeat an effect. Their readings come back through
 * the stream like any other; the reply only says that somebody took the question. Accounts take turns; beyond the
 * bounds, the regions' own slots confirm a little later.
 */
export const createConfirmer = (capabilities: {
  bus: Pick<Bus, 'runs'>
  /** The check's assignment for a region as it stands now; null when it is gone. */
  assignmentFor: (checkId: string, region: Region) => Promise<Assignment | null>
  metrics: Pick<AssessMetrics, 'confirmations'>
  log: Pick<Logger, 'warn'>
  busyPauseMs?: number
}): Confirmer & { readonly pool: FairPool } => {
  const { bus, assignmentFor, metrics, log } = capabilities
  const pauseMs = capabilities.busyPauseMs ?? busyPauseMs
  const pool = createFairPool(agentPools.confirmationsSent.bounds)
  const underWay = new Set<Promise<void>>()
  const closing = new AbortController()

  const request = async (region: Region, atMs: number, assignment: Assignment): Promise<string> => {
    const asked = { kind: 'confirmation', at: atMs, number: 0, assignment } as const
    const reply = await bus.runs.request(region, asked, askedRunMsMaxOf(assignment))
    if (typeof reply === 'string') return reply
    if ('reading' in reply) return 'answered'
    return reply.error === 'busy' ? 'busy' : 'refused'
  }
  const askOne = async ({ checkId, atMs }: Confirmation, region: Region): Promise<void> => {
    for (let asks = 1; asks <= asksMax && !closing.signal.aborted; asks++) {
      // as it stands now: it may have changed since the region was busy
      const assignment = await assignmentFor(checkId, region)
      if (assignment === null || !isRetriedAtOnce(assignment)) return
      const outcome = await request(region, atMs, assignment)
      metrics.confirmations.inc({ outcome })
      if (outcome !== 'busy') return
      if (asks < asksMax) await pause(pauseMs * asks, closing.signal)
    }
  }
  const askInTurn = async (confirmation: Confirmation, region: Region): Promise<void> => {
    const { checkId, accountId } = confirmation
    const place = await pool.take(accountId, { signal: closing.signal })
    if (place === 'stopped') return
    if (typeof place === 'string') return metrics.confirmations.inc({ outcome: 'dropped' })
    try {
      await askOne(confirmation, region)
    } catch (error) {
      log.warn({ err: error, checkId }, 'confirmation could not be asked')
    } finally {
      place.release()
    }
  }

  return {
    ask: (confirmation) => {
      for (const region of confirmation.regions) {
        const asking = askInTurn(confirmation, region).finally(() => underWay.delete(asking))
        underWay.add(asking)
      }
    },
    close: async () => {
      closing.abort()
      await Promise.allSettled(underWay)
    },
    pool,
  }
}
