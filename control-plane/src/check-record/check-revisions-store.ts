import type { Region } from '@probe-mesh/contracts/reading/regions'
import type { Revision } from '@probe-mesh/contracts/reading/slots'
import type { CheckRecord } from './check-record.ts'
import type { Connection, Sql, Transaction } from '../stores/postgres/connect.ts'

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

type RevisionRow = {
  check_id: string
  valid_from: Date
  valid_to: Date | null
  regions: Region[]
  interval_seconds: number
  paused: boolean
  spread: boolean
}

const toRevision = (row: RevisionRow): Revision => ({
  validFromMs: row.valid_from.getTime(),
  validToMs: row.valid_to === null ? null : row.valid_to.getTime(),
  regions: row.regions,
  intervalSeconds: row.interval_seconds,
  paused: row.paused,
  isSpread: row.spread,
})

/** The revisions valid at some time in [fromMs, toMs), oldest first. */
export const findRevisions = async (
  db: Connection,
  checkId: string,
  fromMs: number,
  toMs: number,
): Promise<Revision[]> => {
  const rows = await db<RevisionRow[]>`
    select check_id, valid_from, valid_to, regions, interval_seconds, paused, spread
    from check_revisions
    where check_id = ${checkId} and valid_from < ${new Date(toMs)}
      and (valid_to is null or valid_to > ${new Date(fromMs)})
    order by revision desc limit ${revisionsMax}`
  return rows.toReversed().map(toRevision)
}

/** Rows per page of the revisions of all checks. */
const revisionsPerPage = 5_000

/** The revisions of all checks that were valid in [fromMs, toMs), in pages. */
export const revisionsOfAll = async function* (
  sql: Sql,
  fromMs: number,
  toMs: number,
): AsyncGenerator<{ checkId: string; revision: Revision }[]> {
  const pages = sql<RevisionRow[]>`
    select check_id, valid_from, valid_to, regions, interval_seconds, paused, spread
    from check_revisions
    where valid_from < ${new Date(toMs)} and (valid_to is null or valid_to > ${new Date(fromMs)})
  `.cursor(revisionsPerPage)
  for await (const rows of pages) {
    yield rows.map((row) => ({ checkId: row.check_id, revision: toRevision(row) }))
  }
}

const ms = (db: Connection, column: string) => db`(extract(epoch from ${db(column)}) * 1000)::float8`

/** When these checks were paused since `sinceMs`. `toMs` null: still paused. */
export const findPausedSpans = async (
  db: Connection,
  checkIds: readonly string[],
  sinceMs: number,
): Promise<{ checkId: string; fromMs: number; toMs: number | null }[]> =>
  await db`
    select check_id as "checkId", ${ms(db, 'valid_from')} as "fromMs",
      ${ms(db, 'valid_to')} as "toMs"
    from check_revisions
    where check_id = any(${[...checkIds]}::uuid[]) and paused
      and (valid_to is null or valid_to >= ${new Date(sinceMs)})`
