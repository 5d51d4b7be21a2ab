import type { Region } from '@probe-mesh/contracts/reading/regions'
import type { ClickHouse } from '../stores/clickhouse/connect.ts'

/** One step of stored readings; steps without any are absent. */
export type StoredPoint = {
  atMs: number
  region: Region
  up: number
  down: number
  blocked: number
  unmeasured: number
}

export type StoredPercentiles = {
  atMs: number
  p50Ms: number | null
  p95Ms: number | null
  p99Ms: number | null
}

/** The number of stored readings of one step and region. */
export type StoredCount = { atMs: number; region: Region; count: number }

type SeriesFilter = {
  checkId: string
  region?: Region | undefined
  /** Slots in [fromMs, toMs), both on a minute. */
  fromMs: number
  toMs: number
  /** A multiple of 60; of 3,600 to read the hour rollup. */
  stepSeconds: number
  /** Readings of slots from here on are counted separately too; on a minute. Absent: none are. */
  recentFromMs?: number
}

/** From this step on the hour rollup answers: it is smallest and kept longest. */
const hourSeconds = 3_600

/**
 * Counts per step and region, and percentiles per step over all selected regions; of the recent slots, the
 * counts alone. Only `scheduled` readings are in the rollups. Steps are aligned to `fromMs`.
 */
export const seriesOf = async (
  clickhouse: ClickHouse,
  filter: SeriesFilter,
): Promise<{ points: StoredPoint[]; percentiles: StoredPercentiles[]; recent: StoredCount[] }> => {
  const table =
    filter.stepSeconds % hourSeconds === 0 && filter.fromMs % (hourSeconds * 1000) === 0
      ? 'readings_hour'
      : 'readings_minute'
  const where = `
    check_id = {checkId:UUID} ${filter.region === undefined ? '' : 'and region = {region:String}'}
    and at >= toDateTime({from:UInt32}, 'UTC') and at < toDateTime({to:UInt32}, 'UTC')`
  const step = `intDiv(toUnixTimestamp(at) - {from:UInt32}, {step:UInt32})`
  const recentFromMs = filter.recentFromMs ?? filter.toMs
  const query_params = {
    checkId: filter.checkId,
    region: filter.region,
    from: Math.floor(filter.fromMs / 1000),
    to: Math.ceil(filter.toMs / 1000),
    step: filter.stepSeconds,
    recent: Math.floor(recentFromMs / 1000),
  }
  const [counts, quantiles, latest] = await Promise.all([
    clickhouse.query({
      query: `
        select ${step} as step, region, sum(up) as up, sum(down) as down,
          sum(blocked) as blocked, sum(unmeasured) as unmeasured
        from ${table} where ${where} group by step, region order by step, region`,
      query_params,
      format: 'JSONEachRow',
    }),
    clickhouse.query({
      query: `
        select ${step} as step, sum(up) as up,
          quantilesTDigestMerge(0.5, 0.95, 0.99)(latency) as quantiles
        from ${table} where ${where} group by step order by step`,
      query_params,
      format: 'JSONEachRow',
    }),
    // an hour may be recent in part
    recentFromMs < filter.toMs
      ? clickhouse.query({
          query: `
            select ${step} as step, region, sum(up + down + blocked + unmeasured) as count
            from readings_minute where ${where} and at >= toDateTime({recent:UInt32}, 'UTC')
            group by step, region`,
          query_params,
          format: 'JSONEachRow',
        })
      : null,
  ])
  const atMs = (index: number): number => filter.fromMs + index * filter.stepSeconds * 1000
  const points = await counts.json<Omit<StoredPoint, 'atMs'> & { step: number }>()
  const percentiles = await quantiles.json<{ step: number; up: number; quantiles: number[] }>()
  const recent = (await latest?.json<Omit<StoredCount, 'atMs'> & { step: number }>()) ?? []
  return {
    points: points.map(({ step: index, ...point }) => ({ atMs: atMs(index), ...point })),
    recent: recent.map(({ step: index, ...one }) => ({ atMs: atMs(index), ...one })),
    percentiles: percentiles.map((row) => ({
      atMs: atMs(row.step),
      p50Ms: latency(row.up, row.quantiles[0]),
      p95Ms: latency(row.up, row.quantiles[1]),
      p99Ms: latency(row.up, row.quantiles[2]),
    })),
  }
}

/** Latency is measured on up readings: a step without any has none. */
const latency = (up: number, value: number | undefined | null): number | null =>
  up === 0 || value === undefined || value === null || Number.isNaN(value)
    ? null
    : Math.round(value * 10) / 10
