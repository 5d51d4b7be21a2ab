import { z } from 'zod'
import { Uuid } from '../schema/ids.ts'
import { Instant, Slug } from '../schema/text.ts'

/** A form sends a field that was left alone as an empty text. */
const Blank = z.literal('').transform(() => undefined)

/** `POST /status/:slug/subscribers`: mail about the whole page, or about one of its components. */
export const SubscribeInput = z.strictObject({
  email: z.email('must be an e-mail address').max(254),
  componentId: z.union([Blank, Uuid], { error: 'must be a UUID' }).optional(),
})
export type SubscribeInput = z.infer<typeof SubscribeInput>

export const PublicPageParams = z.object({ slug: Slug })

/** What every subscription is answered with: it never says whether an address is known. */
export const SubscriptionAnswer = z.object({ accepted: z.literal(true), message: z.string() })
export type SubscriptionAnswer = z.infer<typeof SubscriptionAnswer>

/** A confirmation link works for this long, and who has not used it by then is forgotten. */
export const confirmationMs = 86_400_000

/** A subscription as the account that publishes the page sees it. */
export const Subscriber = z.object({
  id: z.string(),
  statusPageId: z.string(),
  /** null: the whole page. */
  componentId: z.string().nullable(),
  email: z.string(),
  createdAt: Instant,
  /** null: the link in the mail was not used yet, and no other mail is sent. */
  confirmedAt: Instant.nullable(),
  /** When one that is not confirmed is forgotten; null of one that is. */
  confirmBefore: Instant.nullable(),
})
export type Subscriber = z.infer<typeof Subscriber>

/** Subscriptions of one page: an address that asked for two components is counted twice. */
export const SubscriberCount = z.object({
  statusPageId: z.string(),
  confirmed: z.int(),
  unconfirmed: z.int(),
})
export type SubscriberCount = z.infer<typeof SubscriberCount>

/** Confirmation mails of today (UTC), for all pages of the account. */
export const SubscriptionMails = z.object({
  sent: z.int(),
  /** Those that were not sent, by reason. */
  notSent: z.array(z.object({ reason: z.string(), count: z.int() })),
})
export type SubscriptionMails = z.infer<typeof SubscriptionMails>

export const SubscribersQuery = z.strictObject({
  /** Of this page only; left out: of every page of the account. */
  statusPageId: Uuid.optional(),
  /** The id of the last one that is known already. */
  before: Uuid.optional(),
  limit: z.coerce.number().int().min(1).max(200).default(100),
})
export type SubscribersQuery = z.infer<typeof SubscribersQuery>

export const SubscriberParams = z.object({ id: Uuid })
