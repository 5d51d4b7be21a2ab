import { subscriptionMailBounds } from '@probe-mesh/contracts/channel/outgoing-pools'

const bounds = subscriptionMailBounds

/** Confirmation mails of today, before one more: all over, and what of them is for this account. */
export type MailsOfDay = {
  ofAccount: number
  ofDomain: number
  ofAccountAtDomain: number
  ofAccountAndNetwork: number
}

/** Why the allowance of a day has no mail left; null where it has (S-1805, S-1806). Pure. */
export const spentOf = (
  today: MailsOfDay,
  confirmed: { ofAccount: number; ofDomain: number },
): 'account_limit' | 'network_limit' | 'domain_limit' | null => {
  if (today.ofAccount >= accountMailsPerDay(confirmed.ofAccount)) return 'account_limit'
  if (today.ofAccountAndNetwork >= networkMailsPerDay(confirmed.ofAccount)) return 'network_limit'
  const ofAll = domainMailsPerDay(confirmed.ofDomain)
  if (today.ofDomain < ofAll) return null
  const isKept = today.ofAccountAtDomain < bounds.perAccountAndDomain
  return isKept && today.ofDomain < ofAll + bounds.beyondDomainMax ? null : 'domain_limit'
}

/** Confirmation mails that an account's pages may send in a day: more as more people confirm. Pure. */
const accountMailsPerDay = (confirmed: number): number =>
  bounds.perAccountAndDay + bounds.perConfirmed * confirmed

/** Confirmation mails to addresses of one domain in a day, for whatever pages. Pure. */
const domainMailsPerDay = (confirmed: number): number =>
  bounds.perDomainAndDay + bounds.perConfirmed * confirmed

/**
 * Those of them that one network may ask for, so that no stranger spends a page's day. What is not
 * confirmed is of two days at most, so it is no more than the same part of a page's.
 */
const networkMailsPerDay = (confirmed: number): number =>
  Math.floor(
    Math.min(accountMailsPerDay(confirmed), bounds.unconfirmedPerPageMax / 2) / bounds.networkPart,
  )

/** Addresses beyond this many need not be counted: the allowance is above any day's mail. */
export const confirmedCountedMax = 10_000
