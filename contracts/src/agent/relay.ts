import { z } from 'zod'
import { AgentReport } from './agent-report.ts'
import { Uuid } from '../schema/ids.ts'
import { limits } from '../schema/limits.ts'

/**
 * The protocol between a private agent and a control plane, below `PUBLIC_URL/relay`, with the agent's token.
 * The agent opens one stream of server-sent events and posts its messages. It never connects to NATS; the
 * control plane forwards requests to it.
 */
export const relayPrefix = '/relay'

/** Intervals of beats on a stream and of presence, and the silence after which a side counts as gone, ms. */
export const relayPace = { beatMs: 5_000, presenceMs: 5_000, silentMs: 20_000 } as const

export const relayLimits = {
  /** Assignments in one event. */
  assignmentsPerEvent: 50,
  /** Concurrent requests of one agent, without open streams. */
  requestsInFlight: 16,
  /** A message of readings with its header. */
  bodyBytesMax: limits.readingsMessageBytesMax + 64 * 1024,
} as const

/** Identifies one start of the agent. A later start takes over. */
const session = z.object({ session: Uuid })

export const OpenRelayInput = session.extend({
  version: z.string().max(100),
  /** The installation; older agents do not send it. */
  instance: z.string().min(1).max(100).optional(),
})
export type OpenRelayInput = z.infer<typeof OpenRelayInput>

/** Accepts a report that this version does not understand, as null. */
export const RelayPresenceInput = session.extend({ report: AgentReport.nullable().catch(null) })
export type RelayPresenceInput = z.infer<typeof RelayPresenceInput>

/** `superseded`: a later start of the agent runs, so this one must stop. */
export const RelayPresence = z.object({
  state: z.enum(['taken', 'superseded']),
  /** The control plane's time, Unix ms; older control planes do not send it. */
  at: z.number().optional(),
})
export type RelayPresence = z.infer<typeof RelayPresence>

export const RelayReadingsQuery = z.object({
  partition: z.coerce
    .number()
    .int()
    .min(0)
    .max(limits.partitions - 1),
  messageId: z.string().min(1).max(200),
})
export const RelayTaken = z.object({ sequence: z.number(), duplicate: z.boolean() })

/** The reply to a requested run: a `RunReply` of the bus. */
export const RelayRunReply = z.object({
  agent: z.string(),
  reading: z.unknown().optional(),
  error: z.string().max(200).optional(),
})
export type RelayRunReply = z.infer<typeof RelayRunReply>

/** The events on the stream, by name. */
export const relayEvents = {
  /** Changed assignments; at the start all of them, in parts. */
  put: z.object({ assignments: z.array(z.unknown()) }),
  remove: z.object({ checkId: z.string() }),
  /** All assignments have been sent once. */
  current: z.object({}),
  /** Every batch of the partition up to and including this one is stored. */
  mark: z.object({ partition: z.int(), batch: z.int() }),
  /** A requested run. The reply uses its id. */
  run: z.object({ id: z.string(), request: z.unknown() }),
  superseded: z.object({}),
} as const
export type RelayEventName = keyof typeof relayEvents
export type RelayEvent<N extends RelayEventName> = z.infer<(typeof relayEvents)[N]>

export type RelayRequestKind = 'readings' | 'runs' | 'presence'

/**
 * Limits for the requests of one token at one control plane. An agent posts messages of up to 100 readings,
 * replies to runs, and reports its presence every few seconds.
 */
export const relayRequestBounds = {
  inFlight: relayLimits.requestsInFlight,
  rates: {
    readings: { perSecond: 50, burst: 1_000 },
    runs: { perSecond: 20, burst: 600 },
    presence: { perSecond: 1, burst: 30 },
  },
} as const satisfies {
  inFlight: number
  rates: Record<RelayRequestKind, { perSecond: number; burst: number }>
}
