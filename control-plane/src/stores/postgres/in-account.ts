import { inTurn } from '../account-turns.ts'
import { isStalePlan, repeatOnConflict } from './conflict.ts'
import type { Sql, Transaction } from './connect.ts'
import { transact } from './transact.ts'

/**
 * Runs statements that see and write the rows of one account only: row-level security shows no
 * others to the role that account verbs connect as, whatever a statement asks for. Accounts take turns where
 * the connections are shared. Never within another: an account could wait for itself. Done again where a newer
 * version migrated a table under it.
 */
export const inAccount = <T>(
  sql: Sql,
  accountId: string,
  work: (transaction: Transaction) => Promise<T>,
): Promise<T> =>
  inTurn(sql, accountId, () =>
    repeatOnConflict(() => once(sql, accountId, work), undefined, isStalePlan),
  )

const once = <T>(
  sql: Sql,
  accountId: string,
  work: (transaction: Transaction) => Promise<T>,
): Promise<T> =>
  transact(sql, async (transaction) => {
    // sent ahead of the first statement of the work, without waiting for its answer
    const chosen = transaction`select set_config('app.account', ${accountId}, true)`.execute()
    const [value] = await Promise.all([work(transaction), chosen])
    return value
  })
