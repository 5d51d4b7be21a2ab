import { z } from 'zod'
import { Uuid } from '../schema/ids.ts'
import { Instant, Slug } from '../schema/text.ts'

/** A form sends an empty text for an empty field. */
const Blank = z.literal('').transform(() => undefined)

/** `POST /status/:slug/subscribers`: mail about the whole page, or about one of its components. */
export const SubscribeInput = z.strictObject({
  email: z.email('must be an e-mail address').max(254),
  componentId: z.union([Blank, Uuid], { error: 'must be a UUID' }).optional(),
})
export type SubscribeInput = z.infer<typeof SubscribeInput>

export const PublicPageParams = z.object({ slug: Slug })

/** The response to every subscription. It never reveals whether an address is known. */
export const SubscriptionAnswer = z.object({ accepted: z.literal(true), message: z.string() })
export type SubscriptionAnswer = z.infer<typeof SubscriptionAnswer>

/** The lifetime of a confirmation link. Unconfirmed subscriptions are then deleted. */
export const confirmationMs = 86_400_000

/** A subscription, for the account of the page. */
export const Subscriber = z.object({
  id: z.string(),
  statusPageId: z.string(),
  /** null for the whole page. */
  componentId: z.string().nullable(),
  email: z.string(),
  createdAt: Instant,
  /** null until the link in the mail is used. No other mail is sent before. */
  confirmedAt: Instant.nullable(),
  /** The deletion time of an unconfirmed subscription; null after confirmation. */
  confirmBefore: Instant.nullable(),
})
export type Subscriber = z.infer<typeof Subscriber>

/** Subscriptions of one page. An address with two components counts twice. */
export const SubscriberCount = z.object({
  statusPageId: z.string(),
  confirmed: z.int(),
  unconfirmed: z.int(),
})
export type SubscriberCount = z.infer<typeof SubscriberCount>

/** Confirmation mails of today (UTC), for all pages of the account. */
export const SubscriptionMails = z.object({
  sent: z.int(),
  /** Mails that were not sent, by reason. */
  notSent: z.array(z.object({ reason: z.string(), count: z.int() })),
})
export type SubscriptionMails = z.infer<typeof SubscriptionMails>

export const SubscribersQuery = z.strictObject({
  /** Limits the list to one page. By default all pages of the account. */
  statusPageId: Uuid.optional(),
  /** The id of the last subscriber of the previous page. */
  before: Uuid.optional(),
  limit: z.coerce.number().int().min(1).max(200).default(100),
})
export type SubscribersQuery = z.infer<typeof SubscribersQuery>

export const SubscriberParams = z.object({ id: Uuid })
