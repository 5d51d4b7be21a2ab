import type { ReportRegion } from '@probe-mesh/contracts/outage/answers'
import type { Connection } from '../../stores/postgres/connect.ts'

/** Reports on one service from one region in a quarter of an hour of the clock. */
export type ReportCount = {
  slug: string
  region: ReportRegion
  /** The quarter's beginning, Unix milliseconds. */
  quarterMs: number
  reports: number
}

/** What one control plane has counted since its batch before. */
export type ReportBatch = {
  /** Grows with every batch of this writer. */
  sequence: number
  /** Quarters in which reports were taken, whether any came or not. */
  quarters: readonly number[]
  counts: readonly ReportCount[]
}

/**
 * Adds a batch to what is counted, in one statement: the writer's sequence, the quarters and the
 * counts, or nothing. A batch that was written before changes nothing, so that it may be sent again
 * whenever it is not known what became of it.
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
  // rows are locked in one order by everybody
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

/** Counts of everybody's quarters that begin at `fromMs` or later, oldest first. */
export const findReportCounts = async (sql: Connection, fromMs: number): Promise<ReportCount[]> => {
  const rows = await sql<(Omit<ReportCount, 'quarterMs'> & { quarterAt: Date })[]>`
    select slug, region, quarter_at as "quarterAt", reports from report_counts
    where quarter_at >= ${new Date(fromMs)}
    order by quarter_at, slug, region`
  return rows.map(({ quarterAt, ...count }) => ({ ...count, quarterMs: quarterAt.getTime() }))
}

/** A quarter in which reports were taken, with a service's; one without service where none came. */
export type CountedQuarter = { quarterMs: number; slug: string | null; reports: number }

/** What was counted in these quarters, over all regions; a quarter that was not counted is left out. */
export const findCountedQuarters = async (
  sql: Connection,
  quarters: readonly number[],
): Promise<CountedQuarter[]> => {
  const asked = quarters.map((quarterMs) => new Date(quarterMs).toISOString())
  const rows = await sql<{ quarterAt: Date; slug: string | null; reports: number }[]>`
    select quarter_at as "quarterAt", slug, coalesce(sum(reports), 0)::integer as reports
    from report_quarters left join report_counts using (quarter_at)
    where quarter_at = any(${asked}::timestamptz[])
    group by quarter_at, slug`
  return rows.map(({ quarterAt, ...row }) => ({ ...row, quarterMs: quarterAt.getTime() }))
}

/** Forgets what is older, `limit` rows of a table at most. @returns how many of the largest */
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
