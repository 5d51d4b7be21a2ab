import { z } from 'zod'
import { CheckStatus } from '../check/check.ts'
import { Instant } from '../schema/text.ts'

/** Checks that a link names; the others are counted. */
export const linkedChecksMax = 20

/** What a mailed link acknowledges, for its holder. */
export const AlertLink = z.object({
  /** `open`: the button acknowledges. `used`: this link did. `closed`: nothing is left to acknowledge. */
  state: z.enum(['open', 'used', 'closed']),
  /** The member or address that the link acts for. */
  actsFor: z.string(),
  usedAt: Instant.nullable(),
  /** The open alerts of the mail. */
  alerts: z
    .array(
      z.object({
        checkName: z.string(),
        status: CheckStatus,
        since: Instant,
        acknowledgedBy: z.string().nullable(),
        acknowledgedAt: Instant.nullable(),
      }),
    )
    .max(linkedChecksMax),
  /** Open alerts of the mail that are not listed. */
  more: z.int(),
})
export type AlertLink = z.infer<typeof AlertLink>

const Sent = z.object({ token: z.string() })

/**
 * Routes behind the links of alert mails, below the public URL. The mailed token is the credential. Reading does not
 * use it up. An expired or unknown token is SV-3001 with status 410.
 */
export const alertLinkRoutes = {
  readAlertLink: {
    method: 'GET',
    path: '/alerts/acknowledge.json',
    query: Sent,
    output: AlertLink,
  },
  useAlertLink: {
    method: 'POST',
    path: '/alerts/acknowledge.json',
    body: Sent,
    output: AlertLink,
  },
} as const
