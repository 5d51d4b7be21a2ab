import { pause } from '@probe-mesh/runtime/pause'
import type { Bus, RunReply, Subscription } from '@probe-mesh/bus/port'
import { requestedRunMsMaxOf, type RunRequest } from '@probe-mesh/contracts/mesh/assignment'
import { parseReading, type Reading, type ReadingKind } from '@probe-mesh/contracts/reading/reading'
import type { RelayRunReply } from '@probe-mesh/contracts/agent/relay'
import { privateRegion } from '@probe-mesh/contracts/reading/private-region'
import { relayPools } from '@probe-mesh/contracts/agent/relay-pools'
import { createFairPool, type FairPool } from '@probe-mesh/runtime/fair-pool'
import { z } from 'zod'
import type { Sql } from '../../stores/postgres/connect.ts'
import type { AdmittedAgent } from './context.ts'
import type { RunIds } from './run-ids.ts'

export type AgentRuns = {
  /** Running runs by account. Beyond an account's share a run is refused as busy. */
  readonly pool: FairPool
  /** Serves the runs of an agent's region: the agent receives them over its stream. */
  serve(
    agent: Pick<AdmittedAgent, 'id' | 'accountId'>,
    send: (run: { id: string; request: unknown }) => void,
  ): Promise<Subscription>
  /**
   * Accepts an agent's answer and passes it to the control plane that waits for it.
   * @returns false if no open run of this agent has the id; the answer is dropped
   */
  answer(agentId: string, id: string, reply: RelayRunReply): boolean
  close(): Promise<void>
}

const eventKind = 'relay-run'
/** The largest expected difference between the clocks of control planes. */
const clockSlackMs = 30_000
/** The most answered runs that are remembered. */
const answeredMax = 10_000
const Answered = z.object({ region: z.string(), id: z.string(), reply: z.unknown() })

/** Passes runs requested on NATS to private agents, and their answers back. */
export const openAgentRuns = async (capabilities: {
  sql: Sql
  bus: Pick<Bus, 'runs' | 'events'>
  runIds: RunIds
  now: () => number
}): Promise<AgentRuns> => {
  const { sql, bus, runIds, now } = capabilities
  const waiting = new Map<string, { region: string; settle: (reply: RunReply) => void }>()
  const heard = await bus.events.subscribe(eventKind, (payload) => {
    const answered = Answered.safeParse(payload)
    if (!answered.success) return
    const { region, id, reply } = answered.data
    const waiter = waiting.get(id)
    // an agent may answer only its own runs
    if (waiter?.region === region) waiter.settle(toRunReply(region, reply))
  })
  const pool = createFairPool(relayPools.agentRuns.bounds)
  const answered = new Set<string>()
  const remember = (id: string): void => {
    answered.add(id)
    const [eldest] = answered
    if (answered.size > answeredMax && eldest !== undefined) answered.delete(eldest)
  }
  const newId = (agentId: string, untilMs: number): string => {
    for (;;) {
      const id = runIds.issue(agentId, untilMs)
      if (!waiting.has(id) && !answered.has(id)) return id
    }
  }
  const requestRun = async (
    agentId: string,
    request: RunRequest,
    send: (run: { id: string; request: unknown }) => void,
  ): Promise<RunReply> => {
    const region = privateRegion(agentId)
    // recorded first: any control plane accepts the reading of a recorded run only
    await insertAgentRun(sql, agentId, identityOf(request), now())
    const waitMs = requestedRunMsMaxOf(request.assignment)
    const id = newId(agentId, now() + waitMs)
    const over = new AbortController()
    const { promise, resolve } = Promise.withResolvers<RunReply>()
    waiting.set(id, { region, settle: resolve })
    const late = async (): Promise<RunReply> => {
      await pause(waitMs, over.signal)
      return { agent: region, error: 'timeout' }
    }
    try {
      send({ id, request })
      return await Promise.race([promise, late()])
    } finally {
      waiting.delete(id)
      remember(id)
      over.abort()
    }
  }
  return {
    pool,
    serve: ({ id, accountId }, send) => {
      const region = privateRegion(id)
      return bus.runs.serve(region, async (request) => {
        const place = pool.takeNow(accountId)
        if (place === null) return { agent: region, error: 'busy' }
        try {
          return await requestRun(id, request, send)
        } finally {
          place.release()
        }
      })
    },
    answer: (agentId, id, reply) => {
      const untilMs = runIds.read(agentId, id)
      if (untilMs === null || now() > untilMs + clockSlackMs || answered.has(id)) return false
      const region = privateRegion(agentId)
      remember(id)
      const waiter = waiting.get(id)
      if (waiter === undefined) bus.events.publish(eventKind, { region, id, reply })
      else waiter.settle(toRunReply(region, reply))
      return true
    },
    close: () => heard.close(),
  }
}

const identityOf = ({ kind, at, number, assignment }: RunRequest): RunIdentity => ({
  checkId: assignment.checkId,
  kind,
  slot: at,
  number,
})

const toRunReply = (region: string, reply: unknown): RunReply => {
  const { reading, error } = Object(reply) as RelayRunReply
  const parsed = parseReading(reading)
  if (parsed.success && parsed.data.region === region) return { agent: region, reading: parsed.data }
  return { agent: region, error: typeof error === 'string' ? error : 'not_understood' }
}

/** Identifies the run of a reading. */
export type RunIdentity = Pick<Reading, 'checkId' | 'slot' | 'number'> & {
  kind: Exclude<ReadingKind, 'scheduled'>
}

/** Records a run before it is sent to its agent. */
const insertAgentRun = async (
  sql: Sql,
  agentId: string,
  { checkId, kind, slot, number }: RunIdentity,
  nowMs: number,
): Promise<void> => {
  await sql`
    insert into private_agent_runs (agent_id, check_id, kind, at_ms, number, asked_at)
    values (${agentId}, ${checkId}, ${kind}, ${slot}, ${number}, ${new Date(nowMs)})
    on conflict do nothing`
}

/** The positions of those runs that were requested from an agent. */
export const findAgentRuns = async (
  sql: Sql,
  agentId: string,
  runs: readonly RunIdentity[],
): Promise<Set<number>> => {
  if (runs.length === 0) return new Set()
  const asked = runs.map(({ checkId, kind, slot, number }, place) => ({
    place,
    check_id: checkId,
    kind,
    at_ms: slot,
    number,
  }))
  const rows = await sql<{ place: number }[]>`
    select asked.place from jsonb_to_recordset(${sql.json(asked)}) as asked (place integer,
      check_id uuid, kind text, at_ms bigint, number bigint)
    join private_agent_runs r on r.agent_id = ${agentId} and r.check_id = asked.check_id
      and r.kind = asked.kind and r.at_ms = asked.at_ms and r.number = asked.number`
  return new Set(rows.map(({ place }) => place))
}

/**
 * Deletes runs whose readings would be too old, and all but the newest runs of each agent. @returns how many
 */
export const pruneAgentRuns = async (
  sql: Sql,
  { beforeMs, perAgentMax }: { beforeMs: number; perAgentMax: number },
): Promise<number> => {
  const old = await sql`delete from private_agent_runs where asked_at < ${new Date(beforeMs)}`
  const many = await sql`
    delete from private_agent_runs r using (
      select ctid, row_number() over (partition by agent_id order by asked_at desc) as place
      from private_agent_runs
    ) ranked
    where r.ctid = ranked.ctid and ranked.place > ${perAgentMax}`
  return old.count + many.count
}
