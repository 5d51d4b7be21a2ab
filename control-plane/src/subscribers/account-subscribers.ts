import type {
  Subscriber,
  SubscriberCount,
  SubscribersQuery,
  SubscriptionMails,
} from '@probe-mesh/contracts/subscriber/subscriber'
import {
  describeSubscriber,
  countSubscribersOfAccount,
  findSubscribersOfAccount,
  findSubscriberOfAccount,
  deleteSubscriberOfAccount,
} from './account-subscribers-store.ts'
import { findSubscriptionMails } from './subscription-mails-store.ts'
import { inAccount } from '../stores/postgres/in-account.ts'
import type { AccountContext, Caller, Writer } from '../accounts/operations/context.ts'
import { refuse, type Refusal } from '@probe-mesh/contracts/schema/refusal'
import { write } from '../accounts/operations/write.ts'

/**
 * The subscriptions to the account's pages, newest first, with counts by page. Expired unconfirmed
 * subscriptions are left out before the purge deletes them.
 */
export const listSubscribers = async (
  { sql, now }: Pick<AccountContext, 'sql' | 'now'>,
  { accountId }: Pick<Caller, 'accountId'>,
  { query: { statusPageId, before, limit } }: { query: SubscribersQuery },
): Promise<{
  subscribers: Subscriber[]
  counts: SubscriberCount[]
  mailsToday: SubscriptionMails
}> => {
  const nowMs = now()
  const part = { statusPageId: statusPageId ?? null, before: before ?? null, limit }
  const [records, counts, outcomes] = await inAccount(sql, accountId, (tx) =>
    Promise.all([
      findSubscribersOfAccount(tx, accountId, part, nowMs),
      countSubscribersOfAccount(tx, accountId, nowMs),
      findSubscriptionMails(tx, accountId, nowMs),
    ]),
  )
  const mailsToday = {
    sent: outcomes.find(({ outcome }) => outcome === 'asked')?.count ?? 0,
    notSent: outcomes.flatMap(({ outcome, count }) =>
      outcome in notSentReasons
        ? { reason: notSentReasons[outcome as keyof typeof notSentReasons], count }
        : [],
    ),
  }
  return { subscribers: records.map(describeSubscriber), counts, mailsToday }
}

/** Reasons why a mail was not sent, as the account sees them. */
const notSentReasons = {
  account_limit: 'The daily limit of the account is reached. It grows with confirmed subscriptions.',
  network_limit:
    "One network requested a quarter of the day's mails. Requests from other networks are not affected.",
  domain_limit: 'The daily limit for the mail domain is reached.',
  address_limit: 'The address got 5 confirmation mails within a day.',
  page_limit: 'The page has 10,000 unconfirmed subscriptions.',
  account_unconfirmed:
    'No address of the account is confirmed. Log in once by a mailed link to confirm yours.',
  domain_denied: 'The owner of the mail domain asked not to be contacted.',
} as const

/** One subscription to a page of the account; another account's is SV-3001. */
export const getSubscriber = async (
  { sql, now }: Pick<AccountContext, 'sql' | 'now'>,
  { accountId }: Pick<Caller, 'accountId'>,
  { params: { id } }: { params: { id: string } },
): Promise<Subscriber | Refusal> => {
  const found = await inAccount(sql, accountId, (tx) => findSubscriberOfAccount(tx, accountId, id, now()))
  return found === null ? refuse('SV-3001') : describeSubscriber(found)
}

/**
 * Deletes a subscription on behalf of the account. The subscriber is not notified and may subscribe again.
 * Pending mails are still sent.
 */
export const removeSubscriber = (
  context: Pick<AccountContext, 'sql' | 'now'>,
  writer: Writer,
  { params: { id } }: { params: { id: string } },
): Promise<{ id: string; deleted: true } | Refusal> => {
  const audit = { action: 'removeSubscriber', resourceType: 'subscriber', resourceId: () => id }
  return write(context, writer, audit, async (tx) =>
    (await deleteSubscriberOfAccount(tx, writer.accountId, id))
      ? ({ id, deleted: true } as const)
      : refuse('SV-3001'),
  )
}
