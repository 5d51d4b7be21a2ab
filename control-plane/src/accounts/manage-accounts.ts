import type { Tier } from '@probe-mesh/contracts/account/tiers'
import { refuse, type Refusal } from '@probe-mesh/contracts/schema/refusal'
import { accountColumns, catalogAccountId, type AccountRecord } from './accounts-store.ts'
import { operator, type OperatorContext } from './operations/context.ts'
import { write } from './operations/write.ts'
import type { Connection } from '../stores/postgres/connect.ts'
import { epochMs } from '../stores/postgres/epoch-ms.ts'

/** An account as the operator sees it. */
export type ListedAccount = AccountRecord & {
  /** The address of its first user. */
  email: string | null
  suspendedAtMs: number | null
}

/** Lists all accounts, oldest first. The account of the catalog is left out: nothing can be done to it. */
export const listAccounts = async ({ sql }: Pick<OperatorContext, 'sql'>): Promise<ListedAccount[]> =>
  await sql<ListedAccount[]>`
    select ${accountColumns(sql)}, ${epochMs(sql, 'accounts.suspended_at')} as "suspendedAtMs",
      (select email from users where account_id = accounts.id order by created_at, id limit 1) as email
    from accounts where id <> ${catalogAccountId} order by created_at, id`

/**
 * Changes the tier of an account, for the operator. The new tier limits what is created from now on: existing
 * checks that it does not allow keep running. The retention of the new tier soon applies to stored data.
 */
export const changeTier = (
  context: OperatorContext,
  { accountId, tier }: { accountId: string; tier: Tier },
): Promise<AccountRecord | Refusal> => {
  const name = { action: 'changeTier', resourceType: 'account', resourceId: () => accountId }
  return write(
    context,
    { accountId, ...operator },
    name,
    async (tx) => (await updateAccountTier(tx, accountId, tier, context.now())) ?? refuse('SV-3001'),
  )
}

/**
 * Also requests that stored data be purged by the retention of the new tier.
 * @returns the changed account, or null when there is none
 */
export const updateAccountTier = async (
  db: Connection,
  accountId: string,
  tier: Tier,
  nowMs: number,
): Promise<AccountRecord | null> => {
  const [row] = await db<AccountRecord[]>`
    with changed as (
      update accounts set tier = ${tier} where id = ${accountId}
      returning ${accountColumns(db)}
    ),
    requested as (
      insert into retention_changes (account_id, changed_at)
      select id, ${new Date(nowMs)} from changed
      on conflict (account_id) do update set changed_at = excluded.changed_at, done_through = null
    )
    select * from changed`
  return row ?? null
}
