import { ErrorDrops, ErrorFrame } from '../contracts/error-tracking.ts'
import { storableJson, NestedTooDeep, parseForeignJson } from '@probe-mesh/contracts/schema/foreign-json'
import { z } from 'zod'
import type { ErrorEvent } from './error-event.ts'
import { MinifiedStack } from './source-maps/minified-stack.ts'

/** A message of the stream `ERRORS`: an accepted event, or counts. */
export type ErrorsMessage = { kind: 'event'; event: ErrorEvent } | TallyMessage

/** Counts of one project for the month of `at`. Times are Unix milliseconds. */
export type TallyMessage = {
  kind: 'tally'
  projectId: string
  at: number
  /** Received events that are not stored. */
  drops: Partial<ErrorDrops>
  /** Client reports: events that SDKs dropped. */
  reports: { category: string; reason: string; quantity: number }[]
  /** Items that are not stored, by type. */
  unsupported: Record<string, number>
  /**
   * Ids of unconfirmed events from before the deduplication time of the stream. An id that the persister does
   * not know counts as a `store` drop.
   */
  doubted?: string[]
}

const count = z.int().min(0)
/** The range that Postgres and ClickHouse accept: up to the year 2200. */
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

/** JSON without characters that a database rejects. */
export const encodeErrorsMessage = (message: ErrorsMessage): Uint8Array =>
  new TextEncoder().encode(storableJson(JSON.stringify({ version: 1, ...message })))

/** @returns the message, or the problem with it, such as another version. Never throws. */
export const decodeErrorsMessage = (data: Uint8Array): ErrorsMessage | { problem: string } => {
  let json: unknown
  try {
    json = parseForeignJson(data)
  } catch (error) {
    return { problem: error instanceof NestedTooDeep ? error.message : 'not JSON' }
  }
  const parsed = Message.safeParse(json)
  if (!parsed.success) return { problem: z.prettifyError(parsed.error) }
  // by zod's type optional counts can be undefined, but JSON has no undefined
  return parsed.data as ErrorsMessage
}
