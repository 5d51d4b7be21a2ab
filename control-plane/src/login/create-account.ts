import { refuse, refuseInvalid, type Refusal } from '@probe-mesh/contracts/schema/refusal'
import { AccountName, NewPassword } from '@probe-mesh/contracts/account/session'
import { Email } from '@probe-mesh/contracts/schema/text'
import { Tier } from '@probe-mesh/contracts/account/tiers'
import { z } from 'zod'
import { markOperatorsAccount, type AccountRecord } from '../accounts/accounts-store.ts'
import { insertAudit } from '../accounts/operations/audit-store.ts'
import { transact } from '../stores/postgres/transact.ts'
import { confirmUser, isEmailTaken } from './users-store.ts'
import { operator, type OperatorContext } from '../accounts/operations/context.ts'
import { openAccount } from './open-account-store.ts'
import { hashPassword } from './passwords/password.ts'

const CreateAccountInput = z.strictObject({
  name: AccountName,
  email: Email,
  password: NewPassword,
  tier: Tier,
})
type CreateAccountInput = z.infer<typeof CreateAccountInput>

/**
 * Creates an account with its first user, status page and alert rule, for the operator. The rule mails the user if
 * this server sends mail. The first account is
 * the operator's own: its channels may reach the networks of `TARGET_ALLOW`. SV-3002 if the address has a
 * user.
 */
export const createAccount = async (
  context: OperatorContext & { sendsMail?: boolean },
  input: CreateAccountInput,
): Promise<AccountRecord | Refusal> => {
  const parsed = CreateAccountInput.safeParse(input)
  if (!parsed.success) return refuseInvalid([parsed.error])
  const { password, ...rest } = parsed.data
  return openConfirmed(context, { ...rest, passwordHash: await hashPassword(password) })
}

/** The same with a hash. */
export const openConfirmed = async (
  context: OperatorContext & { sendsMail?: boolean },
  { email, ...rest }: Pick<CreateAccountInput, 'name' | 'email' | 'tier'> & { passwordHash: string },
): Promise<AccountRecord | Refusal> => {
  const createdAtMs = context.now()
  try {
    return await transact(context.sql, async (tx) => {
      const draft = { ...rest, email, sendsMail: context.sendsMail ?? false }
      const { account, user } = await openAccount(tx, draft, createdAtMs)
      await confirmUser(tx, user.id, createdAtMs)
      await markOperatorsAccount(tx, account.id)
      const entry = { resourceType: 'account', resourceId: account.id, accountId: account.id }
      const made = { action: 'createAccount', ...entry }
      await insertAudit(tx, operator.actor, made, createdAtMs)
      return account
    })
  } catch (error) {
    if (!isEmailTaken(error)) throw error
    const message = `A user with the address ${email} exists already. Use another address.`
    return refuse('SV-3002', { message, errors: [{ path: 'email', message }] })
  }
}
