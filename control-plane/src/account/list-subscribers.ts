import type {
  Subscriber,
  SubscriberCount,
  SubscribersQuery,
} from '@probe-mesh/contracts/subscriber'
import { describeSubscriber } from '../subscribers/describe-subscriber.ts'
import {
  countSubscribersOfAccount,
  findSubscribersOfAccount,
} from '../postgres/account-subscribers.ts'
import { inAccount } from '../postgres/in-account.ts'
import type { AccountContext, Caller } from './context.ts'

/**
 * Who gets mail of the account's pages, newest first, and how many of each page. Whoever did not
 * confirm in time is left out already before the purge removes the row.
 */
export const listSubscribers = async (
  { sql, now }: Pick<AccountContext, 'sql' | 'now'>,
  { accountId }: Pick<Caller, 'accountId'>,
  { query: { statusPageId, before, limit } }: { query: SubscribersQuery },
): Promise<{ subscribers: Subscriber[]; counts: SubscriberCount[] }> => {
  const nowMs = now()
  const part = { statusPageId: statusPageId ?? null, before: before ?? null, limit }
  const [records, counts] = await inAccount(sql, accountId, (tx) =>
    Promise.all([
      findSubscribersOfAccount(tx, accountId, part, nowMs),
      countSubscribersOfAccount(tx, accountId, nowMs),
    ]),
  )
  return { subscribers: records.map(describeSubscriber), counts }
}
