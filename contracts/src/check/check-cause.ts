import { z } from 'zod'
import { CheckParams, Instant } from './check.ts'
import { childrenNamedMax } from './check-parents.ts'
import { read, type Route } from '../schema/route.ts'

/** A provider whose failure explains why a check is down, by the account's own checks or by the catalog (S-1955). */
const CheckCause = z.object({
  /** Such as `the CDN Fastly`. */
  provider: z.string(),
  /** The same as the alert says, for people. */
  text: z.string(),
  /** The first checks behind it that began to fail then. */
  checks: z.array(z.object({ id: z.string(), name: z.string() })).max(childrenNamedMax),
  checkCount: z.int(),
  /** All checks of the account that began to fail then. */
  failingCount: z.int(),
  since: Instant,
})

/** null: the check is not down, or nothing fits. */
export const CheckCauseAnswer = z.object({ cause: CheckCause.nullable() })
export type CheckCauseAnswer = z.infer<typeof CheckCauseAnswer>

export const checkCauseRoutes = {
  getCheckCause: read({
    path: '/checks/:id/cause',
    summary: 'What other checks of the account and the catalog show about why a check is down',
    params: CheckParams,
    output: CheckCauseAnswer,
  }),
} as const satisfies Record<string, Route>
