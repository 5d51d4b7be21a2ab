import { pause } from '@probe-mesh/bus/pause'
import type { Bus, RunReply, Subscription } from '@probe-mesh/bus/port'
import { askedRunMsMaxOf } from '@probe-mesh/contracts/assignment'
import type { RunRequest } from '@probe-mesh/contracts/assignment'
import { uuidv7 } from '@probe-mesh/contracts/ids'
import { Reading } from '@probe-mesh/contracts/reading'
import type { RelayRunReply } from '@probe-mesh/contracts/relay'
import { privateAgentOf } from '@probe-mesh/contracts/regions'
import { z } from 'zod'
import type { Sql } from '../postgres/connect.ts'
import { insertAgentRun } from '../postgres/private-budgets.ts'
import type { RunIdentity } from '../postgres/private-budgets.ts'

/** Runs under way over all agents of this control plane: beyond, who asks is told that the agent is busy. */
const runsUnderWayMax = 256

type AgentRuns = {
  /** Serves the runs of a region by an agent that is asked over its stream. */
  serve(
    region: string,
    send: (run: { id: string; request: unknown }) => void,
  ): Promise<Subscription>
  /** An agent answers; whichever control plane took the answer, the one that waits for it hears. */
  answer(region: string, id: string, reply: RelayRunReply): void
  close(): Promise<void>
}

const eventKind = 'relay-run'
const Answered = z.object({ region: z.string(), id: z.string(), reply: z.unknown() })

/** Carries runs that are asked for on the bus to private agents, and their answers back. */
export const openAgentRuns = async (capabilities: {
  sql: Sql
  bus: Pick<Bus, 'runs' | 'events'>
  now: () => number
}): Promise<AgentRuns> => {
  const { sql, bus, now } = capabilities
  const waiting = new Map<string, { region: string; settle: (reply: RunReply) => void }>()
  const heard = await bus.events.subscribe(eventKind, (payload) => {
    const answered = Answered.safeParse(payload)
    if (!answered.success) return
    const { region, id, reply } = answered.data
    const waiter = waiting.get(id)
    // an agent answers what itself was asked
    if (waiter?.region === region) waiter.settle(toRunReply(region, reply))
  })
  return {
    serve: (region, send) =>
      bus.runs.serve(region, async (request) => {
        if (waiting.size >= runsUnderWayMax) return { agent: region, error: 'busy' }
        const agentId = privateAgentOf(region)
        if (agentId === null) return { agent: region, error: 'other_region' }
        // its reading counts only where this is known, to whichever control plane takes it
        await insertAgentRun(sql, agentId, identityOf(request), now())
        const id = uuidv7(now())
        const over = new AbortController()
        const { promise, resolve } = Promise.withResolvers<RunReply>()
        waiting.set(id, { region, settle: resolve })
        const late = async (): Promise<RunReply> => {
          await pause(askedRunMsMaxOf(request.assignment), over.signal)
          return { agent: region, error: 'timeout' }
        }
        try {
          send({ id, request })
          return await Promise.race([promise, late()])
        } finally {
          waiting.delete(id)
          over.abort()
        }
      }),
    answer: (region, id, reply) => bus.events.publish(eventKind, { region, id, reply }),
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
  const parsed = Reading.safeParse(reading)
  if (parsed.success && parsed.data.region === region)
    return { agent: region, reading: parsed.data }
  return { agent: region, error: typeof error === 'string' ? error : 'not_understood' }
}
