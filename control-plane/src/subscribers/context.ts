import type { DenyList } from '@probe-mesh/contracts/target/deny-list'
import type { Sql } from '../stores/postgres/connect.ts'
import type { UnsubscribeTokens } from './subscriber-tokens.ts'

/** What became of a request for a page's mail; the one who asked is not told. */
export type SubscriptionOutcome =
  | 'asked'
  | 'confirmed_already'
  | 'address_limit'
  | 'page_limit'
  | 'account_limit'
  | 'network_limit'
  | 'domain_limit'
  | 'account_unconfirmed'
  | 'domain_denied'

/** The capabilities of what anybody may do on a public page, without a key. */
export type PublicContext = {
  /** Sees every account: a slug says whose page it is. */
  readonly sql: Sql
  readonly tokens: UnsubscribeTokens
  readonly onSubscription: (outcome: SubscriptionOutcome) => void
  /** Without a slash at its end: what goes into links. */
  readonly publicUrl: string
  /** Domains whose owners want nothing from us. */
  readonly blockedTargets: DenyList
  /** Whether mail is sent: without a mail server it is kept, and nobody confirms an address. */
  readonly sendsMail: boolean
  readonly now: () => number
}
