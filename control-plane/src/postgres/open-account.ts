import { uuidv7 } from '@probe-mesh/contracts/ids'
import type { Tier } from '@probe-mesh/contracts/tiers'
import { defaultRule } from '../alerts/rule.ts'
import { insertAccount } from './accounts.ts'
import type { AccountRecord } from './accounts.ts'
import { insertAlertRule } from './alert-rules.ts'
import type { Transaction } from './connect.ts'
import { insertUser } from './users.ts'
import type { UserRecord } from './users.ts'
import { createFirstPage } from './create-first-page.ts'

/**
 * An account with its first user, its first status page and its first alert rule. Whoever opens one
 * writes to the audit log who did, in the same transaction.
 * @throws what `isEmailTaken` recognises where the address has a user already
 */
export const openAccount = async (
  transaction: Transaction,
  draft: { name: string; email: string; passwordHash: string; tier: Tier },
  nowMs: number,
): Promise<{ account: AccountRecord; user: UserRecord }> => {
  const { name, email, passwordHash, tier } = draft
  const account = { id: uuidv7(nowMs), name, tier, createdAtMs: nowMs }
  const user = {
    id: uuidv7(nowMs),
    accountId: account.id,
    email,
    passwordHash,
    createdAtMs: nowMs,
  }
  await insertAccount(transaction, account)
  await createFirstPage(transaction, account)
  await insertAlertRule(transaction, defaultRule(account.id, nowMs))
  await insertUser(transaction, user)
  return { account, user }
}
