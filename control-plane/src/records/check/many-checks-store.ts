import type { Transaction, Sql, Connection } from '../../stores/postgres/connect.ts'
import type { Region } from '@probe-mesh/contracts/reading/regions'
import { transact } from '../../stores/postgres/transact.ts'
import { checkColumns, toCheckRecord, type CheckRow } from './checks-store.ts'
import type { CheckRecord } from './check-record.ts'

/** Any constant, the same in every control plane. */
const manyChecksLock = 727_004

/**
 * Starts revising many checks. Waits for other transactions that do, and makes later ones wait until this one
 * ends: two at once could deadlock on each other's rows.
 */
export const beginManyChecks = async (tx: Transaction): Promise<void> => {
  await tx`select pg_advisory_xact_lock(${manyChecksLock})`
  // without statistics for new tables the planner would choose nested loops
  await tx`set local enable_nestloop = off`
}

/**
 * Opens the current revision of each of these checks from its row, closes the one before at the same instant,
 * and notifies all control planes on commit to read them again.
 */
export const openRevisions = async (tx: Transaction, checkIds: readonly string[]): Promise<void> => {
  const ids = [...checkIds]
  await tx`
    update check_revisions set valid_to = checks.valid_from
    from checks
    where checks.id = check_revisions.check_id and check_revisions.valid_to is null
      and checks.id = any(${ids}::uuid[])`
  await tx`
    with opened as (
      insert into check_revisions (check_id, revision, valid_from, regions, interval_seconds, paused,
        spread)
      select id, revision, valid_from, regions, interval_seconds, paused, is_spread(regions, valid_from)
      from checks where id = any(${ids}::uuid[])
      returning check_id, revision, spread
    )
    update checks set spread_revision = opened.revision from opened
    where checks.id = opened.check_id and opened.spread`
  await tx`
    select pg_notify('checks_changed', id::text) from unnest(${ids}::uuid[]) as id`
}

/** Pauses or resumes locked checks. The caller opens their revisions. @param change.untilMs when a pause ends */
export const setPaused = async (
  tx: Transaction,
  checkIds: readonly string[],
  { paused, untilMs, nowMs }: { paused: boolean; untilMs: number | null; nowMs: number },
): Promise<void> => {
  const now = new Date(nowMs)
  await tx`
    update checks set paused = ${paused}, paused_until = ${untilMs === null ? null : new Date(untilMs)},
      revision = revision + 1,
      valid_from = greatest(valid_from, ${now}), updated_at = greatest(updated_at, ${now})
    where id = any(${[...checkIds]}::uuid[])`
}

/** Sets when the pause of locked checks ends, which is no part of what is measured. */
export const setPauseEnd = async (
  tx: Transaction,
  checkIds: readonly string[],
  { untilMs, nowMs }: { untilMs: number | null; nowMs: number },
): Promise<void> => {
  await tx`
    update checks set paused_until = ${untilMs === null ? null : new Date(untilMs)},
      updated_at = greatest(updated_at, ${new Date(nowMs)})
    where id = any(${[...checkIds]}::uuid[])`
}

/** Checks of all accounts whose pause has ended, the longest ago first. */
export const findEndedPauses = async (
  db: Connection,
  nowMs: number,
  { except, limit }: { except: readonly string[]; limit: number },
): Promise<{ id: string; accountId: string }[]> =>
  await db<{ id: string; accountId: string }[]>`
    select id, account_id as "accountId" from checks
    where paused and paused_until <= ${new Date(nowMs)} and id <> all(${[...except]}::uuid[])
    order by paused_until limit ${limit}`

/** How long the former slots stay due, so that agents learn the new ones, ms. */
const leadMs = 30_000
/** Checks revised in one transaction; the next ones follow a minute later. */
const respreadMax = 2_000

/** Stores in which regions all agents can measure at a given phase, and in which one cannot. */
export const storeSpreadRegions = async (
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
 * Opens a new revision for checks whose slots are not where a revision made now would put them: older ones in
 * regions that can now spread slots, and checks in a region that has an older agent again.
 * @returns the number of checks
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

/** All checks that agents run, of every account. */
export const findAssignableChecks = async (db: Connection): Promise<CheckRecord[]> => {
  const rows = await db<CheckRow[]>`
    select ${checkColumns(db)} from checks where not paused and type <> 'heartbeat'`
  return rows.map(toCheckRecord)
}

/** A check by id alone, for loops that act for every account. */
export const findCheckOfAnyAccount = async (db: Connection, checkId: string): Promise<CheckRecord | null> => {
  const [row] = await db<CheckRow[]>`
    select ${checkColumns(db)} from checks where id = ${checkId}`
  return row === undefined ? null : toCheckRecord(row)
}

/**
 * Opens a revision with the current live regions for every check that runs in all of them, after the operator
 * has changed the list. @returns the number of changed checks
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
