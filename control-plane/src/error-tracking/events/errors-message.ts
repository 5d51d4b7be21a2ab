import { ErrorDrops, ErrorFrame } from '@probe-mesh/contracts/error-tracking/error-tracking'
import { storableJson, NestedTooDeep, parseForeignJson } from '@probe-mesh/contracts/schema/foreign-json'
import { z } from 'zod'
import type { ErrorEvent } from './error-event.ts'
import { MinifiedStack } from './source-maps/minified-stack.ts'

/** What travels on the stream `ERRORS`: an event that was taken, or what else is to be counted. */
export type ErrorsMessage = { kind: 'event'; event: ErrorEvent } | TallyMessage

/** Counts of one project, all of the month of `at`. Times are Unix milliseconds. */
export type TallyMessage = {
  kind: 'tally'
  projectId: string
  at: number
  /** Events that arrived and are not stored. */
  drops: Partial<ErrorDrops>
  /** What clients say that they threw away themselves. */
  reports: { category: string; reason: string; quantity: number }[]
  /** Items that are not kept, by type. */
  unsupported: Record<string, number>
  /**
   * Ids of events whose publication failed so long ago that the stream does not know their messages any
   * more: dropped, `store`, where none of the id was taken.
   */
  doubted?: string[]
}

const count = z.int().min(0)
/** What every store takes: up to the year 2200. */
const instant = z.number().min(0).max(7_258_118_400_000)

const eventId = z.string().regex(/^[0-9a-f]{32}$/)

const Event = z.object({
  eventId,
  projectId: z.uuid(),
  at: instant,
  receivedAt: instant,
  level: z.string(),
  platform: z.string(),
  release: z.string().nullable(),
  environment: z.string().nullable(),
  transaction: z.string().nullable(),
  type: z.string().nullable(),
  message: z.string(),
  frames: z.array(ErrorFrame),
  tags: z.record(z.string(), z.string()),
  context: z.record(z.string(), z.unknown()),
  grouping: z.object({
    version: z.int(),
    hash: z.string().regex(/^[0-9a-f]{64}$/),
    title: z.string(),
    culprit: z.string().nullable(),
  }),
  minified: MinifiedStack.optional(),
})

const Message = z.discriminatedUnion('kind', [
  z.object({ version: z.literal(1), kind: z.literal('event'), event: Event }),
  z.object({
    version: z.literal(1),
    kind: z.literal('tally'),
    projectId: z.uuid(),
    at: instant,
    drops: ErrorDrops.partial(),
    reports: z.array(z.object({ category: z.string(), reason: z.string(), quantity: count })),
    unsupported: z.record(z.string(), count),
    doubted: z.array(eventId).optional(),
  }),
])

/** As JSON of which every store takes every text. Pure. */
export const encodeErrorsMessage = (message: ErrorsMessage): Uint8Array =>
  new TextEncoder().encode(storableJson(JSON.stringify({ version: 1, ...message })))

/** @returns the message, or why it is none: an older or newer version, or broken. Never throws. */
export const decodeErrorsMessage = (data: Uint8Array): ErrorsMessage | { problem: string } => {
  let json: unknown
  try {
    json = parseForeignJson(data)
  } catch (error) {
    return { problem: error instanceof NestedTooDeep ? error.message : 'not JSON' }
  }
  const parsed = Message.safeParse(json)
  if (!parsed.success) return { problem: z.prettifyError(parsed.error) }
  // optional counts of zod may be undefined by their type, and never are in JSON
  return parsed.data as ErrorsMessage
}
