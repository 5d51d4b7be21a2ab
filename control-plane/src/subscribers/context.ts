import type { DenyList } from '@probe-mesh/contracts/target/deny-list'
import type { Sql } from '../stores/postgres/connect.ts'
import type { UnsubscribeTokens } from '../accounts/link-tokens.ts'

/** The outcome of a subscription request. The visitor does not learn it. */
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

/** The context of operations of public pages, which require no key. */
export type PublicContext = {
  /** Reads all accounts: the slug identifies the account. */
  readonly sql: Sql
  readonly tokens: UnsubscribeTokens
  readonly onSubscription: (outcome: SubscriptionOutcome) => void
  /** The base of links, without a slash at its end. */
  readonly publicUrl: string
  /** Domains whose owners asked not to be contacted. */
  readonly blockedTargets: DenyList
  /** Whether mail is sent. Without a mail server it is stored only, and addresses cannot be confirmed. */
  readonly sendsMail: boolean
  readonly now: () => number
}
