import type { Tier } from '@probe-mesh/contracts/account/tiers'
import type { Connection } from '../../stores/postgres/connect.ts'

/** What ingest must know of a check to store its readings. */
export type DirectoryEntry = { checkId: string; accountId: string; tier: Tier }

/** Those of the checks that exist; a deleted one is missing. */
export const findDirectoryEntries = async (
  sql: Connection,
  checkIds: readonly string[],
): Promise<DirectoryEntry[]> => {
  const rows = await sql<{ id: string; account_id: string; tier: Tier }[]>`
    select checks.id, checks.account_id, accounts.tier
    from checks join accounts on accounts.id = checks.account_id
    where checks.id = any(${[...checkIds]}::uuid[])`
  return rows.map((row) => ({ checkId: row.id, accountId: row.account_id, tier: row.tier }))
}
