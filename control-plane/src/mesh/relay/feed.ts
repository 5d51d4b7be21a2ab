import type { Subscription } from '@probe-mesh/bus/port'
import type { Assignment } from '@probe-mesh/contracts/mesh/assignment'
import { privateRegion } from '@probe-mesh/contracts/reading/private-region'
import { relayLimits, type RelayEvent, type RelayEventName } from '@probe-mesh/contracts/agent/relay'
import { inTurn } from '@probe-mesh/runtime/account-turns'
import { assignmentOf } from '../../checks/assignment-of.ts'
import type { CheckRecord } from '../../records/check/check-record.ts'
import { findChecksOfAgent } from '../../agents/private-agents-store.ts'
import type { AdmittedAgent, RelayContext } from './context.ts'
import type { AgentRuns } from './relay-runs.ts'

/** Sends an event to one agent over its stream. */
export type Send = <N extends RelayEventName>(name: N, event: RelayEvent<N>) => void

/** One connected private agent: its checks, its marks and the runs requested from it. */
export type Feed = {
  readonly agent: AdmittedAgent
  /** Identifies one connection of one run of the agent. */
  readonly session: string
  /** Reads all its checks again and sends the differences. */
  reconcile(): Promise<void>
  /** Sends a changed check; null: it is gone. A check that no longer runs from this agent is removed. */
  change(checkId: string, check: CheckRecord | null): Promise<void>
  close(): Promise<void>
}

/**
 * Serves a private agent: all checks first, then changes. No event depends on what the agent requests, so an
 * agent learns only about its own checks.
 * @throws if Postgres or NATS is unavailable: the agent connects again
 */
export const openFeed = async (
  context: Pick<RelayContext, 'sql' | 'bus' | 'sealer'> & {
    runs: Pick<AgentRuns, 'serve'>
  },
  { agent, session, send }: { agent: AdmittedAgent; session: string; send: Send },
): Promise<Feed> => {
  const region = privateRegion(agent.id)
  /** Revisions sent, by check. */
  const sent = new Map<string, number>()
  const subscriptions: Subscription[] = []
  let work: Promise<void> = Promise.resolve()

  const put = (assignments: readonly Assignment[]): void => {
    for (let from = 0; from < assignments.length; from += relayLimits.assignmentsPerEvent) {
      const some = assignments.slice(from, from + relayLimits.assignmentsPerEvent)
      send('put', { assignments: some })
      for (const { checkId, revision } of some) sent.set(checkId, revision)
    }
  }
  const remove = (checkId: string): void => {
    if (sent.delete(checkId)) send('remove', { checkId })
  }
  const readAll = async (): Promise<void> => {
    const { sql } = context
    const checks = await inTurn(sql, agent.accountId, () => findChecksOfAgent(sql, agent))
    const wanted = checks.flatMap((check) => assignmentOf(check, region) ?? [])
    const kept = new Set(wanted.map(({ checkId }) => checkId))
    for (const checkId of sent.keys()) if (!kept.has(checkId)) remove(checkId)
    const due = wanted.filter(({ checkId, revision }) => sent.get(checkId) !== revision)
    put(await context.sealer.seal(due))
  }
  const close = async (): Promise<void> => {
    await Promise.allSettled(subscriptions.splice(0).map((each) => each.close()))
  }

  const change = async (checkId: string, check: CheckRecord | null): Promise<void> => {
    const assignment = check === null ? null : assignmentOf(check, region)
    if (assignment === null) remove(checkId)
    // skipped: this revision or a newer one was sent already
    else if ((sent.get(checkId) ?? 0) < assignment.revision) put(await context.sealer.seal([assignment]))
  }
  /** One after another: a removed check does not return because an older change was sealed slowly. */
  const inOrder = (act: () => Promise<void>): Promise<void> => {
    const done = work.then(act)
    work = done.catch(() => undefined)
    return done
  }

  try {
    await readAll()
    subscriptions.push(await context.runs.serve(agent, (run) => send('run', run)))
    const onMark = (partition: number, batch: number): void => send('mark', { partition, batch })
    subscriptions.push(await context.bus.persisted.watch(region, region, onMark))
    // sent last: an agent that has all its checks can also accept runs
    send('current', {})
  } catch (error) {
    await close()
    throw error
  }
  return {
    agent,
    session,
    reconcile: () => inOrder(readAll),
    change: (checkId, check) => inOrder(() => change(checkId, check)),
    close,
  }
}
