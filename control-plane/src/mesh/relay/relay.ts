import { refuse, type Refusal } from '@probe-mesh/contracts/schema/refusal'
import {
  relayPace,
  type OpenRelayInput,
  type RelayPresence,
  type RelayPresenceInput,
  type RelayRunReply,
} from '@probe-mesh/contracts/agent/relay'
import { createPoolMetrics } from '@probe-mesh/runtime/pool-metrics'
import type { Registry } from 'prom-client'
import { inTurn } from '@probe-mesh/runtime/account-turns'
import { findCheckOfAnyAccount } from '../../records/check/many-checks-store.ts'
import { faultsOf, keepLooping, type Work } from '../../stores/faults.ts'
import { listen } from '../../stores/postgres/listen.ts'
import { findAgentSessions, openAgentSession, recordAgentSeen } from '../../agents/private-agents-store.ts'
import { createAgentBudgets } from './agent-budgets.ts'
import { relayMetrics, type AdmittedAgent, type RelayContext } from './context.ts'
import { openFeed, type Feed, type Send } from './feed.ts'
import { openAgentRuns } from './relay-runs.ts'
import type { RunIds } from './run-ids.ts'
import { takeReadings, type Posted, type Taken } from './take-readings.ts'

/** Interval of full comparisons, besides notifications. */
const reconcileMs = 60_000
const sweepMs = 5_000

export type AgentStream = { send: Send; beat(): void; end(): void }

export type Relay = {
  /** Makes this installation the active one; refused while another installation is active. */
  claim(agent: AdmittedAgent, input: OpenRelayInput): Promise<Refusal | null>
  /** Serves an admitted agent until its stream ends. Ends an earlier stream of it. */
  open(agent: AdmittedAgent, input: OpenRelayInput, stream: AgentStream): Promise<void>
  /** The stream of this session has ended. */
  ended(agent: AdmittedAgent, session: string): void
  seen(agent: AdmittedAgent, input: RelayPresenceInput): Promise<RelayPresence>
  take(agent: AdmittedAgent, posted: Posted): Promise<Taken | Refusal>
  /** @returns false if no open run of this agent has the id */
  answer(agent: AdmittedAgent, id: string, reply: RelayRunReply): boolean
  /** Counts a request that was refused before its token was looked up. */
  refused(reason: 'in_flight' | 'rate'): void
  close(): Promise<void>
}

const otherInstance =
  'Another installation uses this token. Stop it, or enrol this agent with a token of its own.'

type Served = { feed: Feed; stream: AgentStream }

/**
 * Serves the private agents that are connected to this control plane. It keeps no state: checks are read from
 * Postgres, readings go to the stream, and the agent's row says whether it is online, so any control plane
 * can serve the agent next.
 */
export const startRelay = async (
  capabilities: Omit<RelayContext, 'metrics' | 'budgets'> & { runIds: RunIds; registry: Registry },
): Promise<Relay> => {
  const { sql, bus, sealer, runIds, now, log, registry } = capabilities
  const served = new Map<string, Served>()
  const metrics = relayMetrics(registry, { feeds: () => served.size })
  const budgets = createAgentBudgets({ sql, now })
  const context: RelayContext = { sql, bus, sealer, metrics, budgets, now, log }
  const runs = await openAgentRuns({ sql, bus, runIds, now })
  createPoolMetrics(registry).watch('agentRuns', runs.pool)
  const closing = new AbortController()

  const state: RelayState = {
    ...context,
    served,
    closing: closing.signal,
    faults: faultsOf(log),
    reading: { what: 'the checks of private agents cannot be read' },
    sweeping: { what: 'the sessions of private agents cannot be read' },
    reconciledAtMs: now(),
  }
  const end = (agentId: string, reason: string): void => endStream(state, agentId, reason)

  const listening = [
    await listen(sql, 'checks_changed', {
      onNotify: (checkId) => void quietly(state, state.reading, () => onCheckChanged(state, checkId)),
      onConnected: () => void reconcileAll(state),
    }),
    await listen(sql, 'private_agents_changed', {
      onNotify: (agentId) => end(agentId, 'revoked'),
      onConnected: () => void quietly(state, state.sweeping, () => sweep(state)),
    }),
  ]
  const loop = keepLooping(log, {
    what: 'private agents cannot be kept up',
    round: () => keepUp(state),
    everyMs: sweepMs,
    firstMs: sweepMs,
  })

  return {
    claim: async ({ id, accountId }, { session, version, instance = null }) => {
      const opened = { session, version, instance, nowMs: now() }
      const isOurs = await inTurn(sql, accountId, () => openAgentSession(sql, id, opened))
      return isOurs ? null : refuse('SV-3002', { message: otherInstance })
    },
    open: async (agent, { session, version }, stream) => {
      const { send } = stream
      const feed = await openFeed({ sql, bus, sealer, runs }, { agent, session, send })
      if (closing.signal.aborted) {
        stream.end()
        return feed.close()
      }
      end(agent.id, 'superseded')
      served.set(agent.id, { feed, stream })
      // sends what changed since the feed read the checks
      await feed.reconcile()
      log.info({ agentId: agent.id, version }, 'a private agent is online')
    },
    ended: ({ id }, session) => {
      const one = served.get(id)
      if (one === undefined || one.feed.session !== session) return
      served.delete(id)
      void one.feed.close()
    },
    seen: async ({ id, accountId }, { session, report }) => {
      const isOurs = await inTurn(sql, accountId, () =>
        recordAgentSeen(sql, id, { session, report, nowMs: now() }),
      )
      return { state: isOurs ? 'taken' : 'superseded', at: now() }
    },
    take: (agent, posted) => takeReadings(context, agent, posted),
    refused: (reason) => metrics.refused.inc({ reason }),
    answer: ({ id }, runId, reply) => {
      const isOpen = runs.answer(id, runId, reply)
      if (!isOpen) metrics.refused.inc({ reason: 'not_asked' })
      return isOpen
    },
    close: async () => {
      closing.abort()
      for (const agentId of served.keys()) end(agentId, 'closing')
      await loop.close()
      await Promise.all(listening.map((each) => each.close()))
      await runs.close()
    },
  }
}

type RelayState = RelayContext & {
  /** By agent. */
  readonly served: Map<string, Served>
  readonly closing: AbortSignal
  readonly faults: ReturnType<typeof faultsOf>
  /** Of the checks of private agents. */
  readonly reading: Work
  /** Of their sessions. */
  readonly sweeping: Work
  reconciledAtMs: number
}

const keepUp = async (state: RelayState): Promise<void> => {
  const { served, now } = state
  for (const { stream } of served.values()) stream.beat()
  await quietly(state, state.sweeping, () => sweep(state))
  if (now() - state.reconciledAtMs < reconcileMs) return
  state.reconciledAtMs = now()
  await reconcileAll(state)
}

const quietly = async (
  { closing, faults }: RelayState,
  work: Work,
  act: () => Promise<void>,
): Promise<void> => {
  if (!closing.aborted) await faults.attempt(work, act)
}

/** Ends the streams of agents that were revoked, got a new token, or connected elsewhere. */
const sweep = async (state: RelayState): Promise<void> => {
  const { sql, served, now } = state
  const ids = [...served.keys()]
  if (ids.length === 0) return
  const sessions = await findAgentSessions(sql, ids)
  for (const [agentId, { feed }] of served) {
    if (!ids.includes(agentId)) continue
    const row = sessions.get(agentId)
    if (row === undefined) endStream(state, agentId, 'revoked')
    else if (row.session !== feed.session) endStream(state, agentId, 'superseded')
    else if (now() - row.lastSeenAtMs > relayPace.silentMs) endStream(state, agentId, 'silent')
  }
}

const endStream = ({ served, metrics }: RelayState, agentId: string, reason: string): void => {
  const one = served.get(agentId)
  if (one === undefined) return
  served.delete(agentId)
  metrics.ended.inc({ reason })
  if (reason === 'superseded') one.stream.send('superseded', {})
  one.stream.end()
  void one.feed.close()
}

const reconcileAll = async (state: RelayState): Promise<void> => {
  await quietly(state, state.reading, async () => {
    const done = await Promise.allSettled([...state.served.values()].map(({ feed }) => feed.reconcile()))
    const failed = done.find(({ status }) => status === 'rejected')
    if (failed?.status === 'rejected') throw failed.reason
  })
}

const onCheckChanged = async ({ sql, served }: RelayState, checkId: string): Promise<void> => {
  if (served.size === 0) return
  const check = await findCheckOfAnyAccount(sql, checkId)
  await Promise.all([...served.values()].map(({ feed }) => feed.change(checkId, check)))
}
