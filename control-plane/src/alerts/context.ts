import type { Logger } from 'pino'
import type { AccountEvidence } from './shared-causes/shared-cause.ts'
import type { AlertMetrics } from './metrics.ts'
import type { Sql } from '../stores/postgres/connect.ts'
import type { UnsubscribeTokens } from '../accounts/link-tokens.ts'

/** What links in mails to people need. */
export type MailLinks = {
  /** The base of links, without a slash at its end. */
  readonly publicUrl: string
  readonly tokens: UnsubscribeTokens
}

/** What was read for accounts, so that many receivers of one account do not cause as many reads. */
export type KnownCauses = Map<string, { evidence: AccountEvidence | null; untilMs: number }>

/** What the alerter's operations need. */
export type AlertContext = MailLinks & {
  readonly sql: Sql
  readonly metrics: AlertMetrics
  /** Absent: evidence is read for each batch. */
  readonly causes?: KnownCauses
  readonly log: Logger
  readonly now: () => number
}
