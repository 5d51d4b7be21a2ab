import { uuidv7 } from '@probe-mesh/contracts/ids'
import { limits } from '@probe-mesh/contracts/limits'
import { refuse, refuseInvalid } from '@probe-mesh/contracts/refusal'
import type { Refusal } from '@probe-mesh/contracts/refusal'
import { Tier } from '@probe-mesh/contracts/tiers'
import { z } from 'zod'
import { insertAccount } from '../postgres/accounts.ts'
import type { AccountRecord } from '../postgres/accounts.ts'
import { insertUser, isEmailTaken } from '../postgres/users.ts'
import type { OperatorContext } from './context.ts'
import { hashPassword } from './password.ts'

export const CreateAccountInput = z.strictObject({
  name: z.string().trim().min(1, 'must not be blank').max(limits.nameCharactersMax),
  email: z.email('must be an e-mail address').max(254),
  password: z.string().min(12, 'must have at least 12 characters').max(200),
  tier: Tier,
})
export type CreateAccountInput = z.infer<typeof CreateAccountInput>

/**
 * An operator's act: an account and its first user. An address that has a user already is SV-3002.
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
    await context.sql.begin(async (tx) => {
      await insertAccount(tx, account)
      await insertUser(tx, {
        id: uuidv7(createdAtMs),
        accountId: account.id,
        email,
        passwordHash,
        createdAtMs,
      })
    })
  } catch (error) {
    if (!isEmailTaken(error)) throw error
    const message = `There is a user with the address ${email} already.`
    return refuse('SV-3002', { message, errors: [{ path: 'email', message }] })
  }
  return account
}
