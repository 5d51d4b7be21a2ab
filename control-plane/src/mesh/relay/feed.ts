import type { Subscription } from '@probe-mesh/bus/port'
import type { Assignment } from '@probe-mesh/contracts/mesh/assignment'
import { privateRegion } from '@probe-mesh/contracts/reading/regions'
import { relayLimits } from '@probe-mesh/contracts/agent/relay'
import type { RelayEvent, RelayEventName } from '@probe-mesh/contracts/agent/relay'
import { inTurn } from '../../stores/account-turns.ts'
import { assignmentOf } from '../../checks/assignment-of.ts'
import type { CheckRecord } from '../../check-record/check-record.ts'
import { findChecksOfAgent } from '../../agents/private-agents-store.ts'
import type { AdmittedAgent, RelayContext } from './context.ts'
import type { AgentRuns } from './relay-runs.ts'

/** What is told to one agent on its stream. */
export type Tell = <N extends RelayEventName>(name: N, event: RelayEvent<N>) => void

/** One private agent as it is served: its checks, its marks and the runs that are asked of it. */
export type Feed = {
  readonly agent: AdmittedAgent
  /** Which life of the agent, and which connection of it. */
  readonly session: string
  /** Reads all its checks anew and tells what differs. */
  reconcile(): Promise<void>
  /** A check changed; null: it is gone. What does not run from this agent any more is removed. */
  change(checkId: string, check: CheckRecord | null): void
  close(): Promise<void>
}

/**
 * Serves a private agent: everything first, then changes. Nothing that is told depends on what the agent
 * asks for, so that it learns of its own checks alone.
 * @throws where Postgres or the bus is away: the agent comes again
 */
export const openFeed = async (
  context: Pick<RelayContext, 'sql' | 'bus'> & {
    runs: Pick<AgentRuns, 'serve'>
  },
  { agent, session, tell }: { agent: AdmittedAgent; session: string; tell: Tell },
): Promise<Feed> => {
  const region = privateRegion(agent.id)
  /** Revisions told, by check. */
  const told = new Map<string, number>()
  const subscriptions: Subscription[] = []
  let work: Promise<void> = Promise.resolve()

  const put = (assignments: readonly Assignment[]): void => {
    for (let from = 0; from < assignments.length; from += relayLimits.assignmentsPerEvent) {
      const some = assignments.slice(from, from + relayLimits.assignmentsPerEvent)
      tell('put', { assignments: some })
      for (const { checkId, revision } of some) told.set(checkId, revision)
    }
  }
  const remove = (checkId: string): void => {
    if (told.delete(checkId)) tell('remove', { checkId })
  }
  const readAll = async (): Promise<void> => {
    const { sql } = context
    const checks = await inTurn(sql, agent.accountId, () => findChecksOfAgent(sql, agent))
    const wanted = checks.flatMap((check) => assignmentOf(check, region) ?? [])
    const kept = new Set(wanted.map(({ checkId }) => checkId))
    for (const checkId of told.keys()) if (!kept.has(checkId)) remove(checkId)
    put(wanted.filter(({ checkId, revision }) => told.get(checkId) !== revision))
  }
  const close = async (): Promise<void> => {
    await Promise.allSettled(subscriptions.splice(0).map((each) => each.close()))
  }

  try {
    await readAll()
    subscriptions.push(await context.runs.serve(agent, (run) => tell('run', run)))
    const onMark = (partition: number, batch: number): void => tell('mark', { partition, batch })
    subscriptions.push(await context.bus.persisted.watch(region, region, onMark))
    // the last of it: an agent that knows everything can be asked for runs too
    tell('current', {})
  } catch (error) {
    await close()
    throw error
  }
  return {
    agent,
    session,
    reconcile: () => {
      work = work.then(readAll)
      const done = work
      work = work.catch(() => undefined)
      return done
    },
    change: (checkId, check) => {
      const assignment = check === null ? null : assignmentOf(check, region)
      if (assignment === null) remove(checkId)
      // a notice of what is told already, or of what is older
      else if ((told.get(checkId) ?? 0) < assignment.revision) put([assignment])
    },
    close,
  }
}
