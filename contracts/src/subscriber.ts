import { z } from 'zod'
import { Uuid } from './ids.ts'
import { Slug } from './status-page.ts'

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
