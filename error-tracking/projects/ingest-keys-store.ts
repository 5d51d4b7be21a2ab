import type { ErrorFilters } from '../contracts/error-settings.ts'
import type { Tier } from '@probe-mesh/contracts/account/tiers'
import type { Connection } from '@probe-mesh/control-plane/src/stores/postgres/connect'
import { isSuspended } from '@probe-mesh/control-plane/src/accounts/accounts-store'
import { settingsColumns, toErrorSettings, type SettingsRow } from './error-settings-store.ts'

/** A key with all that is needed to accept events. */
export type IngestKey = {
  publicKey: string
  projectId: string
  accountId: string
  /** The project's number in the path of a DSN, as digits. */
  number: string
  /** Also true if the account is suspended. */
  revoked: boolean
  scrub: { names: readonly string[]; keepAddresses: boolean }
  filters: ErrorFilters
  /** The account's tier when the key was read. */
  tier: Tier
}

/** Stored events of an account in a month. Batches that are not counted yet are missing. */
type AccountUsage = { accountId: string; tier: Tier; spent: number }

type KeyRow = SettingsRow & {
  public_key: string
  project_id: string
  account_id: string
  number: string
  revoked: boolean
  tier: Tier
}

const toIngestKey = (row: KeyRow): IngestKey => {
  const { scrubNames, keepAddresses, filters } = toErrorSettings(row)
  return {
    publicKey: row.public_key,
    projectId: row.project_id,
    accountId: row.account_id,
    number: row.number,
    revoked: row.revoked,
    scrub: { names: scrubNames, keepAddresses },
    filters,
    tier: row.tier,
  }
}

/** The newest keys of all accounts, at most `limit`. */
export const findIngestKeys = async (db: Connection, limit: number): Promise<IngestKey[]> => {
  const rows = await db<KeyRow[]>`
    select k.public_key, k.project_id, k.account_id, p.number,
      (k.revoked_at is not null or ${isSuspended(db, 'k.account_id')}) as revoked,
      (select tier from accounts a where a.id = k.account_id) as tier, ${settingsColumns(db)}
    from error_keys k join error_projects p on p.id = k.project_id
    order by k.created_at desc limit ${limit}`
  return rows.map(toIngestKey)
}

/** One key of any account; null if unknown. */
export const findIngestKey = async (db: Connection, publicKey: string): Promise<IngestKey | null> => {
  const [row] = await db<KeyRow[]>`
    select k.public_key, k.project_id, k.account_id, p.number,
      (k.revoked_at is not null or ${isSuspended(db, 'k.account_id')}) as revoked,
      (select tier from accounts a where a.id = k.account_id) as tier, ${settingsColumns(db)}
    from error_keys k join error_projects p on p.id = k.project_id
    where k.public_key = ${publicKey}`
  return row === undefined ? null : toIngestKey(row)
}

/**
 * Tiers and stored events of these accounts.
 * @param month in the format of `monthOf`
 */
export const findAccountUsage = async (
  db: Connection,
  accountIds: readonly string[],
  month: string,
): Promise<AccountUsage[]> => {
  const rows = await db<{ id: string; tier: Tier; spent: string }[]>`
    select id, tier,
      (select coalesce(sum(events), 0) from error_counts c
        where c.account_id = accounts.id and c.month = ${month}::date and outcome = 'stored')
      + (select coalesce(sum(events), 0) from deleted_error_projects d
        where d.account_id = accounts.id and d.month = ${month}::date) as spent
    from accounts where id = any(${[...accountIds]}::uuid[])`
  return rows.map((row) => ({ accountId: row.id, tier: row.tier, spent: Number(row.spent) }))
}
