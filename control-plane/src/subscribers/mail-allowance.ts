import { subscriptionMailBounds } from '@probe-mesh/contracts/channel/outgoing-pools'

const bounds = subscriptionMailBounds

/** Confirmation mails sent today, in total and for the account. */
export type MailsOfDay = {
  ofAccount: number
  ofDomain: number
  ofAccountAtDomain: number
  ofAccountAndNetwork: number
}

/** The daily limit that is used up; null: another mail is allowed (S-1805, S-1806). */
export const exhaustedLimit = (
  today: MailsOfDay,
  confirmed: { ofAccount: number; ofDomain: number },
): 'account_limit' | 'network_limit' | 'domain_limit' | null => {
  if (today.ofAccount >= accountMailsPerDay(confirmed.ofAccount)) return 'account_limit'
  if (today.ofAccountAndNetwork >= networkMailsPerDay(confirmed.ofAccount)) return 'network_limit'
  const ofAll = domainMailsPerDay(confirmed.ofDomain)
  if (today.ofDomain < ofAll) return null
  const isReserved = today.ofAccountAtDomain < bounds.perAccountAndDomain
  return isReserved && today.ofDomain < ofAll + bounds.beyondDomainMax ? null : 'domain_limit'
}

/**
 * Confirmation mails that an account's pages may send in a day. The limit grows with confirmed subscriptions.
 */
const accountMailsPerDay = (confirmed: number): number =>
  bounds.perAccountAndDay + bounds.perConfirmed * confirmed

/** Confirmation mails to addresses of one domain in a day, for all pages. */
const domainMailsPerDay = (confirmed: number): number =>
  bounds.perDomainAndDay + bounds.perConfirmed * confirmed

/**
 * The part of an account's mails that one network may request, so that one visitor cannot use up the day.
 * Unconfirmed subscriptions are at most two days old, so a network has at most the same part of these.
 */
const networkMailsPerDay = (confirmed: number): number =>
  Math.floor(Math.min(accountMailsPerDay(confirmed), bounds.unconfirmedPerPageMax / 2) / bounds.networkPart)

/** Counting stops here: the limit is then above the mail of any day. */
export const confirmedCountedMax = 10_000
