import { uuidv7 } from '@probe-mesh/contracts/schema/ids'
import type { Tier } from '@probe-mesh/contracts/account/tiers'
import { defaultRule } from '../alerts/alert-rule.ts'
import { insertAccount, type AccountRecord } from '../accounts/accounts-store.ts'
import { insertAlertRule } from '../alerts/alert-rules-store.ts'
import type { Transaction } from '../stores/postgres/connect.ts'
import { insertUser, type UserRecord } from './users-store.ts'
import { createFirstPage } from './create-first-page-store.ts'

/**
 * Creates an account with its first user, status page and alert rule. The caller adds the audit entry in the
 * same transaction.
 * @param draft.sendsMail whether this server sends mail: the rule mails the user then
 * @throws the error that `isEmailTaken` recognises if the address has a user
 */
export const openAccount = async (
  tx: Transaction,
  draft: { name: string; email: string; passwordHash: string; tier: Tier; sendsMail: boolean },
  nowMs: number,
): Promise<{ account: AccountRecord; user: UserRecord }> => {
  const { name, email, passwordHash, tier, sendsMail } = draft
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
  await insertAlertRule(tx, defaultRule(account.id, nowMs, sendsMail))
  await insertUser(tx, user)
  return { account, user }
}
