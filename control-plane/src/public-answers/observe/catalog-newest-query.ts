import type { Verdict } from '@probe-mesh/contracts/reading/reading'
import type { ReadingDetails } from '@probe-mesh/contracts/reading/reading-details'
import type { Region } from '@probe-mesh/contracts/reading/regions'
import { ofChecks } from './catalog-checks-query.ts'
import type { ClickHouse } from '../../stores/clickhouse/connect.ts'

/** A stored reading with a measurement. Times are Unix milliseconds, never later than its receipt. */
type StoredMeasurement = {
  checkId: string
  region: Region
  verdict: Exclude<Verdict, 'unmeasured'>
  reason: string | null
  latencyMs: number | null
  measuredAt: number
  details: ReadingDetails | null
  /** Set for the newest reading only. */
  cause?: string
}

/** The checks, the first slot to read, and the time from which latencies are read. */
export type NewestFilter = {
  checkIds: readonly string[]
  fromMs: number
  freshFromMs: number
}

const columns = `check_id, region, least(measured_at, received_at) as at, verdict`
/**
 * `prewhere` filters by slot first, which leaves the fewest rows. The planner would start with the checks.
 */
const measured = (condition: string) => `
  from readings_raw prewhere slot >= fromUnixTimestamp64Milli({from:Int64})
  where ${condition} and verdict != 'unmeasured'`

/**
 * The newest reading, the newest up reading and the fresh up readings of each check and region, without their
 * details.
 */
export const newestMeasurements = async (
  clickhouse: ClickHouse,
  { checkIds, fromMs, freshFromMs }: NewestFilter,
): Promise<StoredMeasurement[]> => {
  const { condition, params } = ofChecks(checkIds)
  const result = await clickhouse.query({
    query: `
      select toString(check_id) as id, region,
        argMax(tuple(verdict, reason, latency_ms, toUnixTimestamp64Milli(at), cause), at) as newest,
        toUnixTimestamp64Milli(maxIf(at, verdict = 'up')) as good_at,
        groupArrayIf(1000)((toUnixTimestamp64Milli(at), latency_ms),
          verdict = 'up' and at >= fromUnixTimestamp64Milli({fresh:Int64})) as latencies
      from (select ${columns}, reason, latency_ms, cause ${measured(condition)})
      group by check_id, region`,
    query_params: { ...params, from: fromMs, fresh: freshFromMs },
    format: 'JSONEachRow',
  })
  const rows = await result.json<NewestRow>()
  return rows.flatMap(({ id, region, newest, good_at: goodAt, latencies }) => {
    const [verdict, reason, latencyMs, measuredAt, cause] = newest
    const common = { checkId: id, region, details: null }
    return [
      { ...common, verdict, reason, latencyMs: tenths(latencyMs), measuredAt, cause },
      ...(goodAt > 0 ? [{ ...common, ...good, latencyMs: null, measuredAt: goodAt }] : []),
      ...latencies.map(([at, latencyMs]) => ({
        ...common,
        ...good,
        latencyMs: tenths(latencyMs),
        measuredAt: at,
      })),
    ]
  })
}

const good = { verdict: 'up', reason: null } as const

type NewestRow = {
  id: string
  region: Region
  newest: [StoredMeasurement['verdict'], string | null, number | null, number, string]
  good_at: number
  latencies: [number, number | null][]
}

/** Agents round to 0.1 ms; Float32 adds digits that were not measured. */
const tenths = (ms: number | null): number | null => (ms === null ? null : Math.round(ms * 10) / 10)

/** A stored reading without a measurement. */
type StoredGap = Omit<StoredMeasurement, 'verdict' | 'cause'> & {
  verdict: 'unmeasured'
  cause: string
}

/** The newest reading without a measurement of each check and region. */
export const newestGaps = async (
  clickhouse: ClickHouse,
  { checkIds, fromMs }: Pick<NewestFilter, 'checkIds' | 'fromMs'>,
): Promise<StoredGap[]> => {
  const { condition, params } = ofChecks(checkIds)
  const result = await clickhouse.query({
    query: `
      select toString(check_id) as id, region,
        argMax(tuple(cause, reason, toUnixTimestamp64Milli(at)), at) as newest
      from (
        select ${columns}, cause, reason
        from readings_raw prewhere slot >= fromUnixTimestamp64Milli({from:Int64})
        where ${condition} and verdict = 'unmeasured'
      )
      group by check_id, region`,
    query_params: { ...params, from: fromMs },
    format: 'JSONEachRow',
  })
  type Row = { id: string; region: Region; newest: [string, string | null, number] }
  const rows = await result.json<Row>()
  return rows.map(({ id, region, newest: [cause, reason, measuredAt] }) => ({
    checkId: id,
    region,
    verdict: 'unmeasured',
    cause,
    reason,
    latencyMs: null,
    measuredAt,
    details: null,
  }))
}

/** The first failure after the newest up reading, of each check and region that failed since then. */
export const firstFailures = async (
  clickhouse: ClickHouse,
  { checkIds, fromMs }: Pick<NewestFilter, 'checkIds' | 'fromMs'>,
): Promise<StoredMeasurement[]> => {
  const { condition, params } = ofChecks(checkIds)
  const result = await clickhouse.query({
    query: `
      with failing as (
        select check_id, region, maxIf(at, verdict = 'up') as good_at
        from (select ${columns} ${measured(condition)})
        group by check_id, region
        having maxIf(at, verdict = 'down') > good_at
      )
      select toString(check_id) as id, region, toUnixTimestamp64Milli(min(at)) as since
      from (select ${columns} ${measured(condition)} and verdict = 'down') as failed
      join failing using (check_id, region)
      where at > good_at
      group by check_id, region`,
    query_params: { ...params, from: fromMs },
    format: 'JSONEachRow',
  })
  const rows = await result.json<{ id: string; region: Region; since: number }>()
  return rows.map(({ id, region, since }) => ({
    checkId: id,
    region,
    verdict: 'down',
    reason: null,
    latencyMs: null,
    measuredAt: since,
    details: null,
  }))
}

/**
 * The newest reading with details of each check and region. A failing reading without a CDN is skipped: the
 * reading before it has more details.
 */
export const newestDetails = async (
  clickhouse: ClickHouse,
  { checkIds, fromMs }: Pick<NewestFilter, 'checkIds' | 'fromMs'>,
): Promise<StoredMeasurement[]> => {
  const { condition, params } = ofChecks(checkIds)
  const result = await clickhouse.query({
    query: `
      select toString(check_id) as id, region,
        argMax(tuple(verdict, reason, latency_ms, toUnixTimestamp64Milli(at), details), at) as newest
      from (
        select ${columns}, reason, latency_ms, details ${measured(condition)} and details != ''
          and (verdict = 'up' or position(details, '"cdn":null') = 0)
      )
      group by check_id, region`,
    query_params: { ...params, from: fromMs },
    format: 'JSONEachRow',
  })
  const rows = await result.json<{ id: string; region: Region; newest: DetailsTuple }>()
  return rows.map(({ id, region, newest }) => {
    const [verdict, reason, latencyMs, measuredAt, details] = newest
    return {
      checkId: id,
      region,
      verdict,
      reason,
      latencyMs: tenths(latencyMs),
      measuredAt,
      details: JSON.parse(details) as ReadingDetails,
    }
  })
}

type DetailsTuple = [StoredMeasurement['verdict'], string | null, number | null, number, details: string]
