import type { SubscriberCount } from '@probe-mesh/contracts/subscriber/subscriber'

/** `3 confirmed, 1 waiting for its confirmation`; only confirmed ones get mail. */
export const subscriptionsText = ({
  confirmed,
  unconfirmed,
}: Pick<SubscriberCount, 'confirmed' | 'unconfirmed'>): string => {
  if (confirmed + unconfirmed === 0) return 'none yet'
  const waiting = unconfirmed === 0 ? '' : `, ${unconfirmed} waiting for confirmation`
  return `${confirmed} confirmed${waiting}`
}

/** The counts of one page; a page without subscriptions has no row. */
export const subscriptionsOf = (
  counts: readonly SubscriberCount[],
  statusPageId: string,
): Pick<SubscriberCount, 'confirmed' | 'unconfirmed'> =>
  counts.find((count) => count.statusPageId === statusPageId) ?? { confirmed: 0, unconfirmed: 0 }
