import { inTurn } from '@probe-mesh/runtime/account-turns'
import { isStalePlan, repeatOnConflict } from './conflict.ts'
import type { Sql, Transaction } from './connect.ts'
import { transact } from './transact.ts'

/**
 * Runs statements that can read and write the rows of one account only: row-level security hides all others
 * from the role of account operations. Accounts take turns on shared connections. Do not nest calls: an
 * account could wait for itself. Retried if a newer version migrated a table in between.
 */
export const inAccount = <T>(
  sql: Sql,
  accountId: string,
  work: (tx: Transaction) => Promise<T>,
): Promise<T> =>
  inTurn(sql, accountId, () => repeatOnConflict(() => once(sql, accountId, work), undefined, isStalePlan))

const once = <T>(sql: Sql, accountId: string, work: (tx: Transaction) => Promise<T>): Promise<T> =>
  transact(sql, async (tx) => {
    // sent before the first statement of the work, without waiting for the reply
    const chosen = tx`select set_config('app.account', ${accountId}, true)`.execute()
    const [value] = await Promise.all([work(tx), chosen])
    return value
  })
