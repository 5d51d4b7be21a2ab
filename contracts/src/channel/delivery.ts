import { z } from 'zod'
import { Uuid } from '../schema/ids.ts'
import { Instant } from '../schema/instant.ts'

/** `kept`: a mail that was not sent, since there is no mail server to send it with. */
export const DeliveryState = z.enum(['pending', 'delivered', 'dead', 'kept'])
export type DeliveryState = z.infer<typeof DeliveryState>

const what = {
  id: z.string(),
  state: DeliveryState,
  attempts: z.int(),
  createdAt: Instant,
  /** When it is tried next; null where it is not. */
  nextAttemptAt: Instant.nullable(),
  expiresAt: Instant,
  deliveredAt: Instant.nullable(),
  lastError: z.string().nullable(),
  subject: z.string(),
  text: z.string(),
}

/** One message to one receiver, and what became of it. */
export const Delivery = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('mail'), ...what, recipient: z.string() }),
  z.object({
    kind: z.literal('channel'),
    ...what,
    channelId: z.string(),
    channelName: z.string(),
  }),
])
export type Delivery = z.infer<typeof Delivery>

export const DeliveriesQuery = z.strictObject({
  state: DeliveryState.optional(),
  /** The id of the last one that is known already. */
  before: Uuid.optional(),
  limit: z.coerce.number().int().min(1).max(200).default(50),
})

export const DeliveryParams = z.object({ id: Uuid })
