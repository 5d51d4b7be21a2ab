import type { ObjectiveInput } from '@probe-mesh/contracts/objective/objective'
import type { Connection, Transaction } from '../stores/postgres/connect.ts'

/** An objective as it is stored. */
export type ObjectiveRecord = ObjectiveInput & { id: string; accountId: string }

/** With the name of its check, and the ids of the checks that count now. */
export type FoundObjective = ObjectiveRecord & { checkName: string | null; checkIds: string[] }

const columns = (db: Connection) => db`
  objectives.id, objectives.account_id as "accountId", objectives.name, target, window_days as "windowDays",
  check_id as "checkId", tag`

/** The objectives of an account, by name. */
export const findObjectives = async (tx: Transaction, accountId: string): Promise<FoundObjective[]> =>
  await tx<FoundObjective[]>`
    select ${columns(tx)},
      (select name from checks where checks.id = check_id) as "checkName",
      case when tag is null then array[check_id] else array(
        select checks.id from checks
        where checks.account_id = ${accountId} and exists (
          select from unnest(checks.tags) as own (tag) where lower(own.tag) = lower(objectives.tag))
        order by checks.id) end as "checkIds"
    from objectives where account_id = ${accountId} order by objectives.name, objectives.id`

export const countObjectives = async (tx: Transaction, accountId: string): Promise<number> => {
  const [row] = await tx<{ count: number }[]>`
    select count(*)::integer as count from objectives where account_id = ${accountId}`
  return row?.count ?? 0
}

/** Another account's is null like a missing one. */
export const lockObjective = async (
  tx: Transaction,
  accountId: string,
  id: string,
): Promise<ObjectiveRecord | null> => {
  const [row] = await tx<ObjectiveRecord[]>`
    select ${columns(tx)} from objectives where id = ${id} and account_id = ${accountId} for update`
  return row ?? null
}

export const writeObjective = async (
  tx: Transaction,
  { id, accountId, name, target, windowDays, checkId, tag }: ObjectiveRecord,
  nowMs: number,
): Promise<void> => {
  await tx`
    insert into objectives (id, account_id, name, target, window_days, check_id, tag, created_at)
    values (${id}, ${accountId}, ${name}, ${target}, ${windowDays}, ${checkId}, ${tag}, ${new Date(nowMs)})
    on conflict (id) do update set name = excluded.name, target = excluded.target,
      window_days = excluded.window_days, check_id = excluded.check_id, tag = excluded.tag`
}

export const deleteObjective = async (tx: Transaction, id: string): Promise<void> => {
  await tx`delete from objectives where id = ${id}`
}
