import { uuidv7 } from '@probe-mesh/contracts/schema/ids'
import type { Tier } from '@probe-mesh/contracts/account/tiers'
import { defaultRule } from '../alerts/alert-rule.ts'
import { insertAccount } from '../accounts/accounts-store.ts'
import type { AccountRecord } from '../accounts/accounts-store.ts'
import { insertAlertRule } from '../alerts/alert-rules-store.ts'
import type { Transaction } from '../stores/postgres/connect.ts'
import { insertUser } from './users-store.ts'
import type { UserRecord } from './users-store.ts'
import { createFirstPage } from './create-first-page-store.ts'

/**
 * An account with its first user, its first status page and its first alert rule. Whoever opens one
 * writes to the audit log who did, in the same transaction.
 * @throws what `isEmailTaken` recognises where the address has a user already
 */
export const openAccount = async (
  tx: Transaction,
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
  await insertAccount(tx, account)
  await createFirstPage(tx, account)
  await insertAlertRule(tx, defaultRule(account.id, nowMs))
  await insertUser(tx, user)
  return { account, user }
}
