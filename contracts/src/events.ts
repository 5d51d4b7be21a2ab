import { z } from 'zod'
import { CheckStatus, Instant, StoredReading } from './check.ts'

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

/** What `GET /v1/events` streams: `event: flip` or `event: reading`. Incidents join them later. */
export const AccountEvent = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('flip'), accountId: z.string(), flip: Flip }),
  z.object({
    kind: z.literal('reading'),
    accountId: z.string(),
    checkId: z.string(),
    reading: StoredReading,
  }),
])
export type AccountEvent = z.infer<typeof AccountEvent>
