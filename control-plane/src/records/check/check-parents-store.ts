import type { CheckStatus } from '@probe-mesh/contracts/check/check'
import type { Connection, Transaction } from '../../stores/postgres/connect.ts'

/** `checkId` depends on `parentId`. */
export type Dependence = { checkId: string; parentId: string }

export type RelatedRow = { id: string; name: string; status: CheckStatus; paused: boolean }

/** The class of the accounts' advisory locks for parents; any constant with no other use. */
const parentsLockClass = 727_005

/** Makes other changes of parents in this account wait: two at once could close a circle together. */
export const lockParents = async (tx: Transaction, accountId: string): Promise<void> => {
  await tx`select pg_advisory_xact_lock(${parentsLockClass}, hashtext(${accountId}))`
}

/** All that these checks depend on, directly or through others. */
export const findDependences = async (db: Connection, checkIds: readonly string[]): Promise<Dependence[]> =>
  await db<Dependence[]>`
    with recursive upward as (
      select check_id, parent_id from check_parents where check_id = any(${[...checkIds]}::uuid[])
      union
      select above.check_id, above.parent_id
      from check_parents above join upward on above.check_id = upward.parent_id
    )
    select check_id as "checkId", parent_id as "parentId" from upward`

export const findParentIds = async (db: Connection, checkId: string): Promise<string[]> => {
  const rows = await db<{ id: string }[]>`
    select parent_id as id from check_parents where check_id = ${checkId} order by parent_id`
  return rows.map(({ id }) => id)
}

/** Replaces the parents of a check. */
export const writeParents = async (
  tx: Transaction,
  { checkId, accountId }: { checkId: string; accountId: string },
  parentIds: readonly string[],
): Promise<void> => {
  await tx`
    delete from check_parents where check_id = ${checkId} and parent_id <> all(${[...parentIds]}::uuid[])`
  await tx`
    insert into check_parents (check_id, parent_id, account_id)
    select ${checkId}, id, ${accountId} from unnest(${[...parentIds]}::uuid[]) as named (id)
    on conflict do nothing`
}

/** Lets a check depend on the same checks as another one. */
export const copyParents = async (tx: Transaction, fromId: string, toId: string): Promise<void> => {
  await tx`
    insert into check_parents (check_id, parent_id, account_id)
    select ${toId}, parent_id, account_id from check_parents where check_id = ${fromId}`
}

/** The names of these checks of an account, by id; others are left out. */
export const findNames = async (
  db: Connection,
  accountId: string,
  checkIds: readonly string[],
): Promise<Map<string, string>> => {
  const rows = await db<{ id: string; name: string }[]>`
    select id, name from checks where account_id = ${accountId} and id = any(${[...checkIds]}::uuid[])`
  return new Map(rows.map(({ id, name }) => [id, name]))
}

/** The parents of a check, by name. */
export const findParents = async (db: Connection, checkId: string): Promise<RelatedRow[]> =>
  await db<RelatedRow[]>`
    select ${related(db)} from check_parents
      join checks on checks.id = check_parents.parent_id
      join check_states on check_states.check_id = checks.id
    where check_parents.check_id = ${checkId} order by name, id`

/** The first of the checks that depend on a check, failing ones first, and how many there are. */
export const findChildren = async (
  db: Connection,
  checkId: string,
  limit: number,
): Promise<{ children: RelatedRow[]; count: number }> => {
  const rows = await db<(RelatedRow & { count: number })[]>`
    select ${related(db)}, count(*) over ()::integer as count from check_parents
      join checks on checks.id = check_parents.check_id
      join check_states on check_states.check_id = checks.id
    where check_parents.parent_id = ${checkId}
    order by status = 'down' and not paused desc, name, id limit ${limit}`
  return { children: rows.map(({ count: _count, ...row }) => row), count: rows[0]?.count ?? 0 }
}

const related = (db: Connection) => db`checks.id, checks.name, check_states.status, checks.paused`
