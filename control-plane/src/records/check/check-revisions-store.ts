import type { Revision } from '@probe-mesh/contracts/reading/slots'
import type { CheckRecord } from './check-record.ts'
import type { Connection, Sql, Transaction } from '../../stores/postgres/connect.ts'
import { epochMs } from '../../stores/postgres/epoch-ms.ts'

/** Revisions read for one ledger; slots of older ones count as not due. */
const revisionsMax = 20_000

/**
 * Opens the current revision of a check and closes the one before at the same instant, so that every instant
 * belongs to one revision.
 */
export const insertRevision = async (tx: Transaction, check: CheckRecord): Promise<void> => {
  const validFrom = new Date(check.validFromMs)
  await tx`
    update check_revisions set valid_to = ${validFrom}
    where check_id = ${check.id} and valid_to is null`
  await tx`
    with opened as (
      insert into check_revisions (check_id, revision, valid_from, regions, interval_seconds, paused,
        spread)
      values (${check.id}, ${check.revision}, ${validFrom}, ${[...check.regions]},
        ${check.intervalSeconds}, ${check.paused}, is_spread(${[...check.regions]}, ${validFrom}))
      returning check_id, revision, spread
    )
    update checks set spread_revision = opened.revision from opened
    where checks.id = opened.check_id and opened.spread`
}

/** The columns of a `Revision` in a row `r`. */
export const revisionColumns = (db: Connection) => db`
  ${epochMs(db, 'r.valid_from')} as "validFromMs", ${epochMs(db, 'r.valid_to')} as "validToMs", r.regions,
  r.interval_seconds as "intervalSeconds", r.paused, r.spread as "isSpread"`

/** The revisions valid at some time in [fromMs, toMs), oldest first. */
export const findRevisions = async (
  db: Connection,
  checkId: string,
  fromMs: number,
  toMs: number,
): Promise<Revision[]> => {
  const rows = await db<Revision[]>`
    select ${revisionColumns(db)} from check_revisions r
    where check_id = ${checkId} and valid_from < ${new Date(toMs)}
      and (valid_to is null or valid_to > ${new Date(fromMs)})
    order by revision desc limit ${revisionsMax}`
  return rows.toReversed()
}

/** The revisions of these checks that were valid at some time since `fromMs`; the oldest may be left out. */
export const findRevisionsOf = async (
  db: Connection,
  checkIds: readonly string[],
  fromMs: number,
): Promise<(Revision & { checkId: string })[]> =>
  await db`
    select check_id as "checkId", ${revisionColumns(db)} from check_revisions r
    where check_id = any(${[...checkIds]}::uuid[]) and (valid_to is null or valid_to > ${new Date(fromMs)})
    order by valid_from desc limit ${revisionsMax}`

/** Rows per page of the revisions of all checks. */
const revisionsPerPage = 5_000

/** The revisions of all checks that were valid in [fromMs, toMs), in pages. */
export const revisionsOfAll = (
  sql: Sql,
  fromMs: number,
  toMs: number,
): AsyncIterable<(Revision & { checkId: string })[]> =>
  sql<(Revision & { checkId: string })[]>`
    select check_id as "checkId", ${revisionColumns(sql)} from check_revisions r
    where valid_from < ${new Date(toMs)} and (valid_to is null or valid_to > ${new Date(fromMs)})
  `.cursor(revisionsPerPage)

/** When these checks were paused since `sinceMs`. `toMs` null: still paused. */
export const findPausedSpans = async (
  db: Connection,
  checkIds: readonly string[],
  sinceMs: number,
): Promise<{ checkId: string; fromMs: number; toMs: number | null }[]> =>
  await db`
    select check_id as "checkId", ${epochMs(db, 'valid_from')} as "fromMs",
      ${epochMs(db, 'valid_to')} as "toMs"
    from check_revisions
    where check_id = any(${[...checkIds]}::uuid[]) and paused
      and (valid_to is null or valid_to >= ${new Date(sinceMs)})`
