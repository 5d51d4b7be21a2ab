import { z } from 'zod'
import { AgentReport } from './agent-report.ts'
import { Uuid } from '../schema/ids.ts'
import { limits } from '../schema/limits.ts'

/**
 * How a private agent and a control plane speak: below `PUBLIC_URL/relay`, with the agent's token. The
 * agent opens one stream of server-sent events, and posts what it has to say. It is never let onto the
 * bus: what may be asked there of a region is asked for it by the control plane.
 */
export const relayPrefix = '/relay'

/** The pace of beats on a stream and of presence, ms; silent for so long either side takes it for gone. */
export const relayPace = { beatMs: 5_000, presenceMs: 5_000, silentMs: 20_000 } as const

export const relayLimits = {
  /** Assignments in one event. */
  assignmentsPerEvent: 50,
  /** Requests of one agent under way at the same time, whatever they are; open streams do not count. */
  requestsInFlight: 16,
  /** A message of readings with its head. */
  bodyBytesMax: limits.readingsMessageBytesMax + 64 * 1024,
} as const

/** Which life of the agent speaks; a later one takes over. */
const session = z.object({ session: Uuid })

export const OpenRelayInput = session.extend({
  version: z.string().max(100),
  /** Which installation it is; absent where the agent is older than this member. */
  instance: z.string().min(1).max(100).optional(),
})
export type OpenRelayInput = z.infer<typeof OpenRelayInput>

/** An agent that reports what this version does not know is heard all the same. */
export const RelayPresenceInput = session.extend({ report: AgentReport.nullable().catch(null) })
export type RelayPresenceInput = z.infer<typeof RelayPresenceInput>

/** `superseded`: another life of the agent runs, and this one is to end. */
export const RelayPresence = z.object({
  state: z.enum(['taken', 'superseded']),
  /** What time it is for the control plane, Unix ms; absent where it is older than this member. */
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

/** An answer to a run that was asked for: a `RunReply` of the bus. */
export const RelayRunReply = z.object({
  agent: z.string(),
  reading: z.unknown().optional(),
  error: z.string().max(200).optional(),
})
export type RelayRunReply = z.infer<typeof RelayRunReply>

/** What comes on the stream, by the event's name. */
export const relayEvents = {
  /** Assignments as they are; at the start all of them, in parts. */
  put: z.object({ assignments: z.array(z.unknown()) }),
  remove: z.object({ checkId: z.string() }),
  /** Everything has been told once. */
  current: z.object({}),
  /** Every batch of the partition up to and including this one is stored. */
  mark: z.object({ partition: z.int(), batch: z.int() }),
  /** A run that is asked for, answered under its id. */
  run: z.object({ id: z.string(), request: z.unknown() }),
  superseded: z.object({}),
} as const
export type RelayEventName = keyof typeof relayEvents
export type RelayEvent<N extends RelayEventName> = z.infer<(typeof relayEvents)[N]>

/** What a request of a private agent is about: readings, the answer to a run, or that it is there. */
export type RelayRequestKind = 'readings' | 'runs' | 'presence'

/**
 * Requests of one token at one control plane. An agent posts a message of up to 100 readings at a time, answers
 * what it was asked, and says every few seconds that it is there.
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
