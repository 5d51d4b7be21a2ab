import { subscriptionMailBounds } from '@probe-mesh/contracts/outgoing-pools'

/** Confirmation mails that an account's pages may send in a day: more as more people confirm. Pure. */
export const accountMailsPerDay = (confirmed: number): number =>
  subscriptionMailBounds.perAccountAndDay + subscriptionMailBounds.perConfirmed * confirmed

/** Confirmation mails to addresses of one domain in a day, for whatever pages. Pure. */
export const domainMailsPerDay = (confirmed: number): number =>
  subscriptionMailBounds.perDomainAndDay + subscriptionMailBounds.perConfirmed * confirmed

/** Addresses beyond this many need not be counted: the allowance is above any day's mail. */
export const confirmedCountedMax = 10_000
