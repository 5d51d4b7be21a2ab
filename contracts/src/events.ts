import { z } from 'zod'
import { CheckStatus, Instant, StoredReading } from './check.ts'
import { Incident, IncidentUpdate } from './incident.ts'

/** A status change of one check; it happens exactly once. */
export const Flip = z.object({
  id: z.string(),
  accountId: z.string(),
  checkId: z.string(),
  checkName: z.string(),
  from: CheckStatus,
  to: CheckStatus,
  reason: z.string().nullable(),
  at: Instant,
})
export type Flip = z.infer<typeof Flip>

/** What `GET /v1/events` streams: `event: flip`, `event: incident` or `event: reading`. */
export const AccountEvent = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('flip'), accountId: z.string(), flip: Flip }),
  z.object({
    kind: z.literal('incident'),
    accountId: z.string(),
    incident: Incident.omit({ updates: true }),
    /** The newest of its timeline: opened, said or resolved just now. */
    update: IncidentUpdate,
  }),
  z.object({
    kind: z.literal('reading'),
    accountId: z.string(),
    checkId: z.string(),
    reading: StoredReading,
  }),
])
export type AccountEvent = z.infer<typeof AccountEvent>

/**
 * Whose streams are open, said by whoever serves them at this pace: readings are told only to
 * accounts that somebody watches. Believed for `watchedMs`.
 */
export const Watching = z.object({ accountIds: z.array(z.string()) })
export type Watching = z.infer<typeof Watching>
export const watchingMs = 4_000
export const watchedMs = 15_000
