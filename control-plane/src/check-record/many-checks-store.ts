import type { Transaction, Sql, Connection } from '../stores/postgres/connect.ts'
import type { Region } from '@probe-mesh/contracts/reading/regions'
import { transact } from '../stores/postgres/transact.ts'
import { toCheckRecord } from './checks-store.ts'
import type { CheckRecord } from './check-record.ts'
import type { CheckRow } from './checks-store.ts'

/** Any constant, the same for all who revise many checks. */
const manyChecksLock = 727_004

/**
 * Begins to revise many checks. Waits until nobody else does, and keeps others waiting until the
 * transaction ends: two at once would wait for one another's rows in a circle.
 */
export const beginManyChecks = async (transaction: Transaction): Promise<void> => {
  await transaction`select pg_advisory_xact_lock(${manyChecksLock})`
  // of tables that were just filled the planner knows nothing, and would compare each with each
  await transaction`set local enable_nestloop = off`
}

/**
 * Opens the current revision of each of these checks as its row has it, closing the one before at
 * the same instant, and tells every control plane, once the transaction is committed, to read them
 * again.
 */
export const openRevisions = async (
  transaction: Transaction,
  checkIds: readonly string[],
): Promise<void> => {
  const ids = [...checkIds]
  await transaction`
    update check_revisions set valid_to = checks.valid_from
    from checks
    where checks.id = check_revisions.check_id and check_revisions.valid_to is null
      and checks.id = any(${ids}::uuid[])`
  await transaction`
    with opened as (
      insert into check_revisions (check_id, revision, valid_from, regions, interval_seconds, paused,
        spread)
      select id, revision, valid_from, regions, interval_seconds, paused, is_spread(regions, valid_from)
      from checks where id = any(${ids}::uuid[])
      returning check_id, revision, spread
    )
    update checks set spread_revision = opened.revision from opened
    where checks.id = opened.check_id and opened.spread`
  await transaction`
    select pg_notify('checks_changed', id::text) from unnest(${ids}::uuid[]) as id`
}

/** How long agents have to learn of the new slots: until then those of before are due, ms. */
const leadMs = 30_000
/** Revised at a time: the others have their turn a minute later. */
const respreadMax = 2_000

/** Notes in which regions every agent measures at a phase that it is given, and in which one does not. */
export const noteSpreadRegions = async (
  sql: Sql,
  { able, unable }: { able: readonly Region[]; unable: readonly Region[] },
  nowMs: number,
): Promise<void> => {
  await sql`delete from spread_regions where region = any(${[...unable]})`
  await sql`
    insert into spread_regions (region, since)
    select region, ${new Date(nowMs)} from unnest(${[...able]}::text[]) as able (region)
    on conflict do nothing`
}

/**
 * Gives checks whose slots are not where a revision made now would put them such a revision: those from
 * before their regions could spread them, and those of a region that has an older agent again.
 * @returns how many
 */
export const respreadChecks = async (sql: Sql, nowMs: number): Promise<number> => {
  const now = new Date(nowMs)
  return await transact(sql, async (tx) => {
    await beginManyChecks(tx)
    const changed = await tx<{ id: string }[]>`
      update checks set revision = revision + 1, valid_from = greatest(valid_from, ${new Date(nowMs + leadMs)})
      where id in (
        select checks.id from checks
        where not paused and type <> 'heartbeat' and cardinality(regions) > 1
          and (spread_revision is not distinct from revision) <> is_spread(regions, ${now})
        limit ${respreadMax})
      returning id`
    const ids = changed.map((row) => row.id)
    await openRevisions(tx, ids)
    return ids.length
  })
}

/** Every check that agents are to run, of every account. */
export const findAssignableChecks = async (sql: Connection): Promise<CheckRecord[]> => {
  const rows = await sql<CheckRow[]>`
    select * from checks where not paused and type <> 'heartbeat'`
  return rows.map(toCheckRecord)
}

/** A check by id alone: for loops, which act for every account. */
export const findCheckOfAnyAccount = async (
  sql: Connection,
  checkId: string,
): Promise<CheckRecord | null> => {
  const [row] = await sql<CheckRow[]>`select * from checks where id = ${checkId}`
  return row === undefined ? null : toCheckRecord(row)
}

/**
 * Gives every check that is measured from all live regions a revision with the live regions of
 * now, after the operator has changed them. @returns how many checks changed
 */
export const refreshAllRegions = async (
  sql: Sql,
  liveRegions: readonly Region[],
  nowMs: number,
): Promise<number> => {
  const regions = [...liveRegions]
  const now = new Date(nowMs)
  return await transact(sql, async (tx) => {
    await beginManyChecks(tx)
    const changed = await tx<{ id: string }[]>`
      update checks set regions = ${regions}, revision = revision + 1, valid_from = greatest(valid_from, ${now}),
        updated_at = ${now}
      where all_regions and not (regions @> ${regions} and regions <@ ${regions})
      returning id`
    const ids = changed.map((row) => row.id)
    await openRevisions(tx, ids)
    return ids.length
  })
}
