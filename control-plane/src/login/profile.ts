import type { Profile, UpdateAccountInput, UpdateProfileInput } from '@probe-mesh/contracts/account/profile'
import { refuse, type Refusal } from '@probe-mesh/contracts/schema/refusal'
import type { AccountContext, Caller } from '../accounts/operations/context.ts'
import { write } from '../accounts/operations/write.ts'
import type { Connection } from '../stores/postgres/connect.ts'
import { inAccount } from '../stores/postgres/in-account.ts'

type Asked = { caller: Pick<Caller, 'accountId' | 'actor'>; userId: string }

/** The logged-in member, and the settings of the account. */
export const getProfile = async (
  { sql }: Pick<AccountContext, 'sql'>,
  { caller: { accountId }, userId }: Asked,
): Promise<Profile | Refusal> =>
  (await inAccount(sql, accountId, (tx) => findProfile(tx, accountId, userId))) ?? refuse('SV-3001')

/** Changes the given fields of the member's own record. */
export const updateProfile = (
  context: Pick<AccountContext, 'sql' | 'now'>,
  { caller, userId }: Asked,
  { name, timeZone }: UpdateProfileInput,
): Promise<Profile | Refusal> => {
  const audit = {
    action: 'updateProfile',
    resourceType: 'member',
    resourceId: ({ email }: Profile) => email,
  }
  return write(context, caller, audit, async (tx) => {
    await tx`
      update users set name = coalesce(${name ?? null}, name), time_zone = coalesce(${timeZone ?? null}, time_zone)
      where id = ${userId} and account_id = ${caller.accountId}`
    return (await findProfile(tx, caller.accountId, userId)) ?? refuse('SV-3001')
  })
}

/** Changes the settings of the account. Messages that wait already may keep the former zone. */
export const updateAccount = (
  context: Pick<AccountContext, 'sql' | 'now'>,
  { caller, userId }: Asked,
  { timeZone }: UpdateAccountInput,
): Promise<Profile | Refusal> => {
  const { accountId } = caller
  const audit = { action: 'updateAccount', resourceType: 'account', resourceId: () => accountId }
  return write(context, caller, audit, async (tx) => {
    await tx`update accounts set time_zone = ${timeZone} where id = ${accountId}`
    return (await findProfile(tx, accountId, userId)) ?? refuse('SV-3001')
  })
}

const findProfile = async (db: Connection, accountId: string, userId: string): Promise<Profile | null> => {
  const [row] = await db<(Omit<Profile, 'account'> & { accountZone: string })[]>`
    select users.email, users.name, users.time_zone as "timeZone", accounts.time_zone as "accountZone"
    from users join accounts on accounts.id = users.account_id
    where users.id = ${userId} and users.account_id = ${accountId}`
  if (row === undefined) return null
  const { accountZone, ...own } = row
  return { ...own, account: { timeZone: accountZone } }
}
