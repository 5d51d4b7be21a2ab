import { ofChecks } from './catalog-checks-query.ts'
import type { ClickHouse } from '../../stores/clickhouse/connect.ts'

/** Counts of readings over all regions. */
type Counts = { up: number; down: number; blocked: number; unmeasured: number }

/** One hour. Hours without an up or down reading are left out. */
type StoredHour = { atMs: number } & Pick<Counts, 'up' | 'down'>

/** One step. Steps without a reading are left out. */
type StoredStep = { atMs: number; p50Ms: number | null; p95Ms: number | null } & Counts

/** Slots in [fromMs, toMs). */
type Span = { checkIds: readonly string[]; fromMs: number; toMs: number }

/** The rows of a rollup, each with the first hour in which its check was up in its region. */
const readings = (table: 'readings_hour' | 'readings_minute', condition: string): string => `
  ${table} left join (
    select check_id, region, min(at) as first_good from readings_hour
    where ${condition} and up > 0 group by check_id, region
  ) as proven using (check_id, region)
  where ${condition}
    and at >= toDateTime({from:UInt32}, 'UTC') and at < toDateTime({to:UInt32}, 'UTC')`

/** If a check was never up there, the left join gives `first_good` the default value, 0. */
const isProven = `toUnixTimestamp(first_good) > 0 and at >= first_good`

/** The hourly counts of these checks. Failures before a check was first up in a region are not counted. */
export const hoursOfChecks = async (clickhouse: ClickHouse, span: Span): Promise<StoredHour[]> => {
  const { condition, params } = ofChecks(span.checkIds)
  const result = await clickhouse.query({
    query: `
      select toUnixTimestamp(at) as seconds, sum(up) as ups, sumIf(down, ${isProven}) as downs
      from ${readings('readings_hour', condition)}
      group by at having ups + downs > 0 order by at`,
    query_params: { ...params, from: span.fromMs / 1000, to: span.toMs / 1000 },
    format: 'JSONEachRow',
  })
  const rows = await result.json<{ seconds: number; ups: number; downs: number }>()
  return rows.map(({ seconds, ups, downs }) => ({ atMs: seconds * 1000, up: ups, down: downs }))
}

/**
 * The readings of these checks per step, with the latencies of up readings. Failures before a check was first
 * up in a region count as unmeasured.
 * @param span.stepSeconds a multiple of 60; steps are aligned to `fromMs`
 */
export const stepsOfChecks = async (
  clickhouse: ClickHouse,
  span: Span & { stepSeconds: number },
): Promise<StoredStep[]> => {
  const { condition, params } = ofChecks(span.checkIds)
  const result = await clickhouse.query({
    query: `
      select intDiv(toUnixTimestamp(at) - {from:UInt32}, {step:UInt32}) as step, sum(up) as ups,
        sumIf(down, ${isProven}) as downs, sum(blocked) as refused,
        sum(unmeasured) + sumIf(down, not (${isProven})) as unknown,
        quantilesTDigestMerge(0.5, 0.95, 0.99)(latency) as quantiles
      from ${readings('readings_minute', condition)}
      group by step order by step`,
    query_params: {
      ...params,
      from: span.fromMs / 1000,
      to: span.toMs / 1000,
      step: span.stepSeconds,
    },
    format: 'JSONEachRow',
  })
  const rows = await result.json<StepRow>()
  return rows.map(({ step, ups, downs, refused, unknown, quantiles }) => ({
    atMs: span.fromMs + step * span.stepSeconds * 1000,
    p50Ms: latencyOf(ups, quantiles[0]),
    p95Ms: latencyOf(ups, quantiles[1]),
    up: ups,
    down: downs,
    blocked: refused,
    unmeasured: unknown,
  }))
}

type StepRow = {
  step: number
  ups: number
  downs: number
  refused: number
  unknown: number
  quantiles: (number | null)[]
}

/** A step without up readings has no latency: its digest is empty. */
const latencyOf = (up: number, ms: number | null | undefined): number | null =>
  up === 0 || typeof ms !== 'number' || !Number.isFinite(ms) ? null : Math.round(ms * 10) / 10
