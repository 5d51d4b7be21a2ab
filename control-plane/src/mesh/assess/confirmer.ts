import { requestedRunMsMaxOf, isRetriedAtOnce, type Assignment } from '@probe-mesh/contracts/mesh/assignment'
import { agentPools } from '@probe-mesh/contracts/agent/agent-pools'
import type { Region } from '@probe-mesh/contracts/reading/regions'
import { pause } from '@probe-mesh/runtime/pause'
import type { Bus } from '@probe-mesh/bus/port'
import { createFairPool, type FairPool } from '@probe-mesh/runtime/fair-pool'
import type { Logger } from 'pino'
import type { AssessMetrics } from './metrics.ts'
import type { Confirmation } from './assessment-state.ts'

/** How often one confirmation is requested from a busy region, and the pause before the next request. */
const requestsMax = 3
const busyPauseMs = 1_000

export type Confirmer = { confirm(confirmation: Confirmation): void; close(): Promise<void> }

/**
 * Runs a check in its regions at once after a first failure or a first good reading, unless that would repeat
 * an effect. The readings come back through the stream like any other; the reply only says that an agent
 * accepted the request. Accounts take turns. Beyond the bounds, the regions' own slots confirm a little
 * later.
 */
export const createConfirmer = (capabilities: {
  bus: Pick<Bus, 'runs'>
  /** The check's current assignment for a region; null if it is gone. */
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

  const requestRun = async (region: Region, atMs: number, assignment: Assignment): Promise<string> => {
    const request = { kind: 'confirmation', at: atMs, number: 0, assignment } as const
    const reply = await bus.runs.request(region, request, requestedRunMsMaxOf(assignment))
    if (typeof reply === 'string') return reply
    if ('reading' in reply) return 'answered'
    return reply.error === 'busy' ? 'busy' : 'refused'
  }
  const confirmIn = async ({ checkId, atMs }: Confirmation, region: Region): Promise<void> => {
    for (let requests = 1; requests <= requestsMax && !closing.signal.aborted; requests++) {
      // read again: the check may have changed while the region was busy
      const assignment = await assignmentFor(checkId, region)
      if (assignment === null || !isRetriedAtOnce(assignment)) return
      const outcome = await requestRun(region, atMs, assignment)
      metrics.confirmations.inc({ outcome })
      if (outcome !== 'busy') return
      if (requests < requestsMax) await pause(pauseMs * requests, closing.signal)
    }
  }
  const confirmInTurn = async (confirmation: Confirmation, region: Region): Promise<void> => {
    const { checkId, accountId } = confirmation
    const place = await pool.take(accountId, { signal: closing.signal })
    if (place === 'stopped') return
    if (typeof place === 'string') return metrics.confirmations.inc({ outcome: 'dropped' })
    try {
      await confirmIn(confirmation, region)
    } catch (error) {
      log.warn({ err: error, checkId }, 'confirmation could not be requested')
    } finally {
      place.release()
    }
  }

  return {
    confirm: (confirmation) => {
      for (const region of confirmation.regions) {
        const confirming = confirmInTurn(confirmation, region).finally(() => underWay.delete(confirming))
        underWay.add(confirming)
      }
    },
    close: async () => {
      closing.abort()
      await Promise.allSettled(underWay)
    },
    pool,
  }
}
