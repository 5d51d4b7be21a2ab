import type { Tier } from '@probe-mesh/contracts/account/tiers'
import type { Connection } from '../../stores/postgres/connect.ts'

/** An account whose tier changed (`updateAccountTier` notes it), and its next checks whose stored readings are to be kept as long as its tier says now. */
export type RetentionChange = {
  accountId: string
  tier: Tier
  changedAt: Date
  /** In the order of ids; empty where all are done. */
  checkIds: string[]
}

/** The oldest change that is to be carried out, with its next checks; null where there is none. */
export const findRetentionChange = async (
  db: Connection,
  changedBeforeMs: number,
  checksMax: number,
): Promise<RetentionChange | null> => {
  const [row] = await db<
    { account_id: string; tier: Tier; changed_at: Date; check_ids: string[] }[]
  >`
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

/** These checks are done with; without any the whole change is, unless the tier changed again. */
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
