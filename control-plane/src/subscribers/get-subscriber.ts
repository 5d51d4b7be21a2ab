import { refuse } from '@probe-mesh/contracts/schema/refusal'
import type { Refusal } from '@probe-mesh/contracts/schema/refusal'
import type { Subscriber } from '@probe-mesh/contracts/subscriber/subscriber'
import { describeSubscriber } from './describe-subscriber.ts'
import { findSubscriberOfAccount } from './account-subscribers-store.ts'
import { inAccount } from '../stores/postgres/in-account.ts'
import type { AccountContext, Caller } from '../operations/context.ts'

/** One subscription to a page of the account; another account's is SV-3001. */
export const getSubscriber = async (
  { sql, now }: Pick<AccountContext, 'sql' | 'now'>,
  { accountId }: Pick<Caller, 'accountId'>,
  { params: { id } }: { params: { id: string } },
): Promise<Subscriber | Refusal> => {
  const found = await inAccount(sql, accountId, (tx) =>
    findSubscriberOfAccount(tx, accountId, id, now()),
  )
  return found === null ? refuse('SV-3001') : describeSubscriber(found)
}
