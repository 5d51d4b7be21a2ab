import type { Region } from '@probe-mesh/contracts/reading/regions'
import { ofChecks } from './catalog-checks-query.ts'
import type { ClickHouse } from '../../stores/clickhouse/connect.ts'

/** Response times of up scheduled readings. */
type StoredTimes = { p50Ms: number; p75Ms: number; p95Ms: number; samples: number }

const inHours = `at in (select toDateTime(arrayJoin({hours:Array(UInt32)}), 'UTC'))`
const toSeconds = (hoursMs: readonly number[]): number[] => hoursMs.map((ms) => ms / 1000)

/**
 * The median response time of each check and region over all given hours.
 * @param hoursMs the starts of the hours, Unix milliseconds
 */
export const mediansOfHours = async (
  clickhouse: ClickHouse,
  checkIds: readonly string[],
  hoursMs: readonly number[],
): Promise<{ checkId: string; region: Region; p50Ms: number; samples: number }[]> => {
  const { condition, params } = ofChecks(checkIds)
  const result = await clickhouse.query({
    query: `
      select toString(check_id) as id, region, sum(up) as samples,
        quantilesTDigestMerge(0.5)(latency) as quantiles
      from readings_hour where ${condition} and ${inHours}
      group by check_id, region having samples > 0`,
    query_params: { ...params, hours: toSeconds(hoursMs) },
    format: 'JSONEachRow',
  })
  const rows = await result.json<{ id: string; region: Region } & QuantilesRow>()
  return rows.flatMap(({ id, region, samples, quantiles: [p50Ms] }) =>
    isKnown(p50Ms) ? [{ checkId: id, region, p50Ms, samples: Number(samples) }] : [],
  )
}

/** The median response time of each check and region since an instant. */
export const mediansSince = async (
  clickhouse: ClickHouse,
  checkIds: readonly string[],
  fromMs: number,
): Promise<{ checkId: string; region: Region; p50Ms: number }[]> => {
  const { condition, params } = ofChecks(checkIds)
  const result = await clickhouse.query({
    query: `
      select toString(check_id) as id, region, quantileExact(0.5)(assumeNotNull(latency_ms)) as p50
      from readings_raw
      where ${condition} and slot >= fromUnixTimestamp64Milli({from:Int64})
        and kind = 'scheduled' and verdict = 'up' and isNotNull(latency_ms)
      group by check_id, region`,
    query_params: { ...params, from: fromMs },
    format: 'JSONEachRow',
  })
  const rows = await result.json<{ id: string; region: Region; p50: number | null }>()
  return rows.flatMap(({ id, region, p50 }) => (isKnown(p50) ? [{ checkId: id, region, p50Ms: p50 }] : []))
}

/** Response times over all given checks, by region and hour. */
export const timesOfHours = async (
  clickhouse: ClickHouse,
  checkIds: readonly string[],
  hoursMs: readonly number[],
): Promise<({ region: Region; hourMs: number } & StoredTimes)[]> => {
  const { condition, params } = ofChecks(checkIds)
  const result = await clickhouse.query({
    query: `
      select region, toUnixTimestamp(at) as hour, sum(up) as samples,
        quantilesTDigestMerge(0.5, 0.75, 0.95)(latency) as quantiles
      from readings_hour where ${condition} and ${inHours}
      group by region, at having samples > 0`,
    query_params: { ...params, hours: toSeconds(hoursMs) },
    format: 'JSONEachRow',
  })
  const rows = await result.json<{ region: Region; hour: number } & QuantilesRow>()
  return rows.flatMap((row) => {
    const times = timesOf(row)
    return times === null ? [] : [{ region: row.region, hourMs: row.hour * 1000, ...times }]
  })
}

/** Response times over all given checks since an instant, by region. */
export const timesSince = async (
  clickhouse: ClickHouse,
  checkIds: readonly string[],
  fromMs: number,
): Promise<({ region: Region } & StoredTimes)[]> => {
  const { condition, params } = ofChecks(checkIds)
  const result = await clickhouse.query({
    // raw readings are cheaper to read here than the digests of each check and minute
    query: `
      select region, count() as samples,
        quantilesTDigest(0.5, 0.75, 0.95)(assumeNotNull(latency_ms)) as quantiles
      from readings_raw
      where ${condition} and slot >= fromUnixTimestamp64Milli({from:Int64})
        and kind = 'scheduled' and verdict = 'up' and isNotNull(latency_ms)
      group by region`,
    query_params: { ...params, from: fromMs },
    format: 'JSONEachRow',
  })
  const rows = await result.json<{ region: Region } & QuantilesRow>()
  return rows.flatMap((row) => {
    const times = timesOf(row)
    return times === null ? [] : [{ region: row.region, ...times }]
  })
}

type QuantilesRow = { samples: number; quantiles: (number | null)[] }

const timesOf = ({ samples, quantiles: [p50Ms, p75Ms, p95Ms] }: QuantilesRow): StoredTimes | null =>
  isKnown(p50Ms) && isKnown(p75Ms) && isKnown(p95Ms)
    ? { p50Ms: tenths(p50Ms), p75Ms: tenths(p75Ms), p95Ms: tenths(p95Ms), samples: Number(samples) }
    : null

/** An empty digest has no quantiles. */
const isKnown = (ms: number | null | undefined): ms is number => typeof ms === 'number' && Number.isFinite(ms)

const tenths = (ms: number): number => Math.round(ms * 10) / 10

const hourMs = 3_600_000
const dayMs = 24 * hourMs
const daysMax = 7

/** The start of the same clock hour on each of the seven days before an instant. */
export const sameHours = (nowMs: number): number[] => {
  const hour = Math.floor(nowMs / hourMs) * hourMs
  return Array.from({ length: daysMax }, (_, day) => hour - (day + 1) * dayMs)
}
