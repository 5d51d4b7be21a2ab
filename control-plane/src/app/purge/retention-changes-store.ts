import type { Tier } from '@probe-mesh/contracts/account/tiers'
import type { Connection } from '../../stores/postgres/connect.ts'

/** An account whose plan changed, with the next checks that need the retention of the new plan. */
type RetentionChange = {
  accountId: string
  tier: Tier
  changedAt: Date
  /** In the order of ids; empty if all are done. */
  checkIds: string[]
}

/** The oldest open change with its next checks; null if there is none. */
export const findRetentionChange = async (
  db: Connection,
  changedBeforeMs: number,
  checksMax: number,
): Promise<RetentionChange | null> => {
  const [row] = await db<{ account_id: string; tier: Tier; changed_at: Date; check_ids: string[] }[]>`
    select c.account_id, a.tier, c.changed_at, array(
      select id from checks where checks.account_id = c.account_id
        and (c.done_through is null or id > c.done_through)
      order by id limit ${checksMax}) as check_ids
    from retention_changes c join accounts a on a.id = c.account_id
    where c.changed_at < ${new Date(changedBeforeMs)}
    order by c.changed_at, c.account_id limit 1`
  if (row === undefined) return null
  const { account_id: accountId, tier, changed_at: changedAt, check_ids: checkIds } = row
  return { accountId, tier, changedAt, checkIds }
}

/** DeviceMarks these checks as done. Without checks the change is done and deleted, unless the plan changed again. */
export const advanceRetentionChange = async (
  db: Connection,
  { accountId, changedAt, checkIds }: RetentionChange,
): Promise<void> => {
  const last = checkIds.at(-1)
  if (last === undefined) {
    await db`
      delete from retention_changes
      where account_id = ${accountId} and changed_at = ${changedAt}`
    return
  }
  await db`
    update retention_changes set done_through = ${last}
    where account_id = ${accountId} and changed_at = ${changedAt}`
}
