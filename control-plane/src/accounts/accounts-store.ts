import type { Tier } from '@probe-mesh/contracts/account/tiers'
import type { Connection, Transaction } from '../stores/postgres/connect.ts'

/** The account of the catalog: without users, keys and pages. */
export const catalogAccountId = '0ca7a106-0000-8000-8000-000000000000'

export type AccountRecord = { id: string; name: string; tier: Tier; createdAtMs: number }

type AccountRow = { id: string; name: string; tier: Tier; created_at: Date }

/** An account as the operator sees it. */
export type ListedAccount = AccountRecord & {
  /** Of its first user. */
  email: string | null
  suspendedAtMs: number | null
}

const toAccount = (row: AccountRow): AccountRecord => ({
  id: row.id,
  name: row.name,
  tier: row.tier,
  createdAtMs: row.created_at.getTime(),
})

export const insertAccount = async (
  connection: Connection,
  account: AccountRecord,
): Promise<void> => {
  await connection`
    insert into accounts (id, name, tier, created_at)
    values (${account.id}, ${account.name}, ${account.tier}, ${new Date(account.createdAtMs)})`
}

/** Every account with the e-mail address of its first user, oldest first. */
export const findAccounts = async (connection: Connection): Promise<ListedAccount[]> => {
  const rows = await connection<
    (AccountRow & { email: string | null; suspended_at: Date | null })[]
  >`
    select accounts.id, accounts.name, accounts.tier, accounts.created_at, accounts.suspended_at,
      (select email from users where account_id = accounts.id order by created_at, id limit 1) as email
    from accounts order by created_at, id`
  return rows.map((row) => ({
    ...toAccount(row),
    email: row.email,
    suspendedAtMs: row.suspended_at?.getTime() ?? null,
  }))
}

export const findAccount = async (
  connection: Connection,
  accountId: string,
): Promise<AccountRecord | null> => {
  const [row] = await connection<AccountRow[]>`
    select id, name, tier, created_at from accounts where id = ${accountId}`
  return row === undefined ? null : toAccount(row)
}

/** Whether an account is the one that the operator made at the first start. */
export const isOperatorsAccount = async (
  connection: Connection,
  accountId: string,
): Promise<boolean> => {
  const [row] = await connection<{ is_operators: boolean }[]>`
    select is_operators from accounts where id = ${accountId}`
  return row?.is_operators ?? false
}

/** The account that the operator made at the first start; null where none is marked. */
export const findOperatorsAccount = async (connection: Connection): Promise<string | null> => {
  const [row] = await connection<{ id: string }[]>`select id from accounts where is_operators`
  return row?.id ?? null
}

/** Notes that the operator made an account: it is the operator's own where there was none before it. */
export const noteOperatorsAccount = async (
  transaction: Transaction,
  accountId: string,
): Promise<void> => {
  await transaction`select pg_advisory_xact_lock(hashtextextended('operators account', 0))`
  await transaction`
    update accounts set is_operators = true
    where id = ${accountId} and not exists (
      select from accounts where id not in (${accountId}, ${catalogAccountId}))`
}

/** The account, locked until the transaction ends: what counts against its limits waits in line. */
export const lockAccount = async (
  transaction: Transaction,
  accountId: string,
): Promise<AccountRecord | null> => {
  const [row] = await transaction<AccountRow[]>`
    select id, name, tier, created_at from accounts where id = ${accountId} for no key update`
  return row === undefined ? null : toAccount(row)
}

/**
 * Also notes that what is stored of the account is to be kept as the tier says.
 * @returns the account as it is now, or null when there is none
 */
export const updateAccountTier = async (
  connection: Connection,
  accountId: string,
  tier: Tier,
  nowMs: number,
): Promise<AccountRecord | null> => {
  const [row] = await connection<AccountRow[]>`
    with changed as (
      update accounts set tier = ${tier} where id = ${accountId}
      returning id, name, tier, created_at
    ),
    noted as (
      insert into retention_changes (account_id, changed_at)
      select id, ${new Date(nowMs)} from changed
      on conflict (account_id) do update set changed_at = excluded.changed_at, done_through = null
    )
    select * from changed`
  return row === undefined ? null : toAccount(row)
}
