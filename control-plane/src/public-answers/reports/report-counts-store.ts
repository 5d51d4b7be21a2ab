import type { ReportRegion } from '@probe-mesh/contracts/outage/answers'
import type { Connection } from '../../stores/postgres/connect.ts'
import { epochMs } from '../../stores/postgres/epoch-ms.ts'

/** Reports on one service from one region in a quarter of an hour of the clock. */
export type ReportCount = {
  slug: string
  region: ReportRegion
  /** The quarter's beginning, Unix milliseconds. */
  quarterMs: number
  reports: number
}

/** Counts of one control plane since its previous batch. */
export type ReportBatch = {
  /** Grows with every batch of this writer. */
  sequence: number
  /** Quarters in which reports were accepted, with or without any. */
  quarters: readonly number[]
  counts: readonly ReportCount[]
}

/**
 * Adds a batch in one statement: the writer's sequence, the quarters and the counts, or nothing.
 * Writing a batch again changes nothing, so a batch with an unknown outcome can be retried.
 */
export const writeReportCounts = async (
  sql: Connection,
  writer: string,
  batch: ReportBatch,
  nowMs: number,
): Promise<void> => {
  const quarters = batch.quarters.map((quarterMs) => new Date(quarterMs).toISOString())
  const counts = batch.counts.map(({ quarterMs, ...count }) => ({
    ...count,
    quarter_at: new Date(quarterMs).toISOString(),
  }))
  // every writer locks the rows in the same order
  await sql`
    with turn as (
      insert into report_writers as known (id, sequence, written_at)
      values (${writer}::uuid, ${batch.sequence}::bigint, ${new Date(nowMs)}::timestamptz)
      on conflict (id) do update set sequence = excluded.sequence, written_at = excluded.written_at
        where known.sequence < excluded.sequence
      returning id
    ),
    counted as (
      insert into report_quarters (quarter_at)
      select quarter_at from unnest(${quarters}::timestamptz[]) as quarter (quarter_at)
      where exists (select from turn)
      order by quarter_at
      on conflict do nothing
    )
    insert into report_counts (quarter_at, slug, region, reports)
    select quarter_at, slug, region, reports
    from jsonb_to_recordset(${sql.json(counts)}) as count (quarter_at timestamptz, slug text,
      region text, reports integer)
    where exists (select from turn)
    order by quarter_at, slug, region
    on conflict (quarter_at, slug, region) do update
      set reports = report_counts.reports + excluded.reports`
}

/** Counts of all control planes for quarters that begin at `fromMs` or later, oldest first. */
export const findReportCounts = async (sql: Connection, fromMs: number): Promise<ReportCount[]> => {
  return await sql<ReportCount[]>`
    select slug, region, ${epochMs(sql, 'quarter_at')} as "quarterMs", reports from report_counts
    where quarter_at >= ${new Date(fromMs)}
    order by quarter_at, slug, region`
}

/** A counted quarter with the count of one service; `slug` is null in a quarter without reports. */
export type CountedQuarter = { quarterMs: number; slug: string | null; reports: number }

/** Counts of these quarters over all regions, without quarters that were not counted. */
export const findCountedQuarters = async (
  sql: Connection,
  quarters: readonly number[],
): Promise<CountedQuarter[]> => {
  const instants = quarters.map((quarterMs) => new Date(quarterMs).toISOString())
  return await sql<CountedQuarter[]>`
    select ${epochMs(sql, 'quarter_at')} as "quarterMs", slug, coalesce(sum(reports), 0)::integer as reports
    from report_quarters left join report_counts using (quarter_at)
    where quarter_at = any(${instants}::timestamptz[])
    group by quarter_at, slug`
}

/** Deletes older rows, at most `limit` per table. @returns the largest number deleted from one table */
export const pruneReportCounts = async (
  sql: Connection,
  beforeMs: number,
  limit: number,
): Promise<number> => {
  const before = new Date(beforeMs)
  const counts = await sql`
    delete from report_counts where (quarter_at, slug, region) in (
      select quarter_at, slug, region from report_counts where quarter_at < ${before} limit ${limit})`
  const quarters = await sql`
    delete from report_quarters where quarter_at in (
      select quarter_at from report_quarters where quarter_at < ${before} limit ${limit})`
  const writers = await sql`
    delete from report_writers where id in (
      select id from report_writers where written_at < ${before} limit ${limit})`
  return Math.max(counts.count, quarters.count, writers.count)
}
