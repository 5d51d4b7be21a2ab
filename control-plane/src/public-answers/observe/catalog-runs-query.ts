import type { Region } from '@probe-mesh/contracts/reading/regions'
import { ofChecks } from './catalog-checks-query.ts'
import type { ClickHouse } from '../../stores/clickhouse/connect.ts'

/**
 * Consecutive readings of one check in one region with the same verdict, each at most `gapMs` after the one
 * before. Times are Unix milliseconds.
 */
export type StoredRun = {
  checkId: string
  region: Region
  verdict: 'up' | 'down'
  firstMs: number
  lastMs: number
  count: number
}

/** Enough for a service that fails every other minute for two days in four regions. */
const runsMax = 10_000

/**
 * The runs of up and down readings of these checks, newest first. Refused and unmeasured readings do not end
 * a run by themselves, but the gap that they leave may.
 */
export const runsOfChecks = async (
  clickhouse: ClickHouse,
  filter: { checkIds: readonly string[]; fromMs: number; gapMs: number },
): Promise<StoredRun[]> => {
  const { condition, params } = ofChecks(filter.checkIds)
  const result = await clickhouse.query({
    query: `
      select toString(check_id) as id, region, verdict, toUnixTimestamp64Milli(min(at)) as first_ms,
        toUnixTimestamp64Milli(max(at)) as last_ms, toUInt32(count()) as readings
      from (
        select check_id, region, verdict, at, sum(begins) over (
          partition by check_id, region order by at rows between unbounded preceding and current row
        ) as run
        from (
          select check_id, region, verdict, measured_at as at,
            toInt8(verdict) != lagInFrame(toInt8(verdict)) over one_before
              or toUnixTimestamp64Milli(measured_at)
                > toUnixTimestamp64Milli(lagInFrame(measured_at) over one_before) + {gap:Int64}
              as begins
          from readings_raw
          where ${condition} and slot >= fromUnixTimestamp64Milli({from:Int64})
            and verdict in ('up', 'down')
          window one_before as (
            partition by check_id, region order by measured_at
            rows between 1 preceding and current row
          )
        )
      )
      group by check_id, region, verdict, run
      order by last_ms desc limit ${runsMax}`,
    query_params: { ...params, from: filter.fromMs, gap: filter.gapMs },
    format: 'JSONEachRow',
  })
  const rows = await result.json<RunRow>()
  return rows.map(({ id, region, verdict, first_ms, last_ms, readings }) => ({
    checkId: id,
    region,
    verdict,
    firstMs: first_ms,
    lastMs: last_ms,
    count: readings,
  }))
}

type RunRow = {
  id: string
  region: Region
  verdict: 'up' | 'down'
  first_ms: number
  last_ms: number
  readings: number
}

/** The starts of the first and last hour in which a check was up in a region, Unix milliseconds. */
export type GoodHours = { checkId: string; region: Region; firstMs: number; lastMs: number }

/** The first and last up hour of each check and region, within the retention of hourly data. */
export const goodHours = async (
  clickhouse: ClickHouse,
  checkIds: readonly string[],
): Promise<GoodHours[]> => {
  const { condition, params } = ofChecks(checkIds)
  const result = await clickhouse.query({
    query: `
      select toString(check_id) as id, region,
        toUnixTimestamp(min(at)) as first, toUnixTimestamp(max(at)) as last
      from readings_hour where ${condition} and up > 0
      group by check_id, region`,
    query_params: params,
    format: 'JSONEachRow',
  })
  const rows = await result.json<{ id: string; region: Region; first: number; last: number }>()
  return rows.map(({ id, region, first, last }) => ({
    checkId: id,
    region,
    firstMs: first * 1000,
    lastMs: last * 1000,
  }))
}
