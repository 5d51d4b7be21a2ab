import { uuidv7 } from '@probe-mesh/contracts/ids'
import { limits } from '@probe-mesh/contracts/limits'
import { refuse, refuseInvalid } from '@probe-mesh/contracts/refusal'
import type { Refusal } from '@probe-mesh/contracts/refusal'
import { Email, NewPassword } from '@probe-mesh/contracts/session'
import { Tier } from '@probe-mesh/contracts/tiers'
import { z } from 'zod'
import { insertAudit } from '../postgres/audit.ts'
import { transact } from '../postgres/transact.ts'
import { defaultRule } from '../alerts/rule.ts'
import { insertAccount } from '../postgres/accounts.ts'
import { insertAlertRule } from '../postgres/alert-rules.ts'
import type { AccountRecord } from '../postgres/accounts.ts'
import { insertUser, isEmailTaken } from '../postgres/users.ts'
import { operator } from './context.ts'
import type { OperatorContext } from './context.ts'
import { createFirstPage } from './create-first-page.ts'
import { hashPassword } from '../passwords/password.ts'

export const CreateAccountInput = z.strictObject({
  name: z.string().trim().min(1, 'must not be blank').max(limits.nameCharactersMax),
  email: Email,
  password: NewPassword,
  tier: Tier,
})
export type CreateAccountInput = z.infer<typeof CreateAccountInput>

/**
 * An operator's act: an account with its first user, its first status page and its first alert rule.
 * An address that has a user already is SV-3002.
 */
export const createAccount = async (
  context: OperatorContext,
  input: CreateAccountInput,
): Promise<AccountRecord | Refusal> => {
  const parsed = CreateAccountInput.safeParse(input)
  if (!parsed.success) return refuseInvalid([parsed.error])
  const { name, email, password, tier } = parsed.data
  const createdAtMs = context.now()
  const account: AccountRecord = { id: uuidv7(createdAtMs), name, tier, createdAtMs }
  const passwordHash = await hashPassword(password)
  try {
    await transact(context.sql, async (tx) => {
      await insertAccount(tx, account)
      await createFirstPage(tx, account)
      await insertAlertRule(tx, defaultRule(account.id, createdAtMs))
      await insertUser(tx, {
        id: uuidv7(createdAtMs),
        accountId: account.id,
        email,
        passwordHash,
        createdAtMs,
      })
      const entry = { resourceType: 'account', resourceId: account.id, accountId: account.id }
      const made = { action: 'createAccount', ...entry }
      await insertAudit(tx, operator.actor, made, createdAtMs)
    })
  } catch (error) {
    if (!isEmailTaken(error)) throw error
    const message = `There is a user with the address ${email} already.`
    return refuse('SV-3002', { message, errors: [{ path: 'email', message }] })
  }
  return account
}
