import { tenths } from './measured-row.ts'
import type { RegionSeries } from '@probe-mesh/contracts/check/region-series'
import type { Region } from '@probe-mesh/contracts/reading/regions'
import type { ClickHouse } from '../stores/clickhouse/connect.ts'

type Asked = {
  checkId: string
  /** Listed even without readings, in this order. */
  regions: readonly Region[]
  /** Slots in [fromMs, toMs), both on a step, and none after `untilMs`. */
  fromMs: number
  toMs: number
  untilMs: number
  /** A multiple of 60; of 3,600 to read the hour rollup. */
  stepSeconds: number
}

/**
 * Latency of the whole time, and every step with latency and counts: of all regions together, and of each.
 * Only `scheduled` readings count.
 */
export const regionSeriesOf = async (
  clickhouse: ClickHouse,
  { checkId, regions, fromMs, toMs, untilMs, stepSeconds }: Asked,
): Promise<Pick<RegionSeries, 'whole' | 'all' | 'regions'>> => {
  const table = stepSeconds % 3_600 === 0 ? 'readings_hour' : 'readings_minute'
  const result = await clickhouse.query({
    query: `
      select intDiv(toUnixTimestamp(at) - {from:UInt32}, {step:UInt32}) as step, region,
        grouping(region) as isAll, grouping(step) as isWhole, sum(up) as ups, sum(down) as downs, sum(blocked) as blockeds,
        sum(unmeasured) as unmeasureds, quantilesTDigestMerge(0.5, 0.95, 0.99)(latency) as quantiles
      from ${table}
      where check_id = {checkId:UUID} and at >= toDateTime({from:UInt32}, 'UTC')
        and at < toDateTime({to:UInt32}, 'UTC')
      group by grouping sets ((step, region), (step), ())`,
    query_params: {
      checkId,
      from: fromMs / 1000,
      to: Math.ceil(Math.min(toMs, Math.max(fromMs, untilMs)) / 1000),
      step: stepSeconds,
    },
    format: 'JSONEachRow',
  })
  const rows = await result.json<Row>()
  const count = (toMs - fromMs) / (stepSeconds * 1000)
  const byRegion = Map.groupBy(
    rows.filter(({ isAll }) => isAll === 0),
    ({ region }) => region,
  )
  const former = [...byRegion.keys()].filter((region) => !regions.includes(region)).toSorted()
  const whole = rows.find(({ isWhole }) => isWhole === 1)
  const [p50 = null, p95 = null] = whole === undefined || whole.ups === 0 ? [] : whole.quantiles
  return {
    whole: { p50Ms: tenths(p50), p95Ms: tenths(p95) },
    all: columnsOf(
      rows.filter(({ isAll, isWhole }) => isAll === 1 && isWhole === 0),
      count,
    ),
    regions: [...regions, ...former].map((region) => {
      const { p50Ms, down } = columnsOf(byRegion.get(region) ?? [], count)
      return { region, p50Ms, down }
    }),
  }
}

type Row = {
  step: number
  region: Region
  isAll: number
  isWhole: number
  ups: number
  downs: number
  blockeds: number
  unmeasureds: number
  quantiles: (number | null)[]
}

const columnsOf = (rows: readonly Row[], count: number): RegionSeries['all'] => {
  const none = () => Array.from<number | null>({ length: count }).fill(null)
  const zeros = () => Array.from<number>({ length: count }).fill(0)
  const all = {
    p50Ms: none(),
    p95Ms: none(),
    p99Ms: none(),
    up: zeros(),
    down: zeros(),
    blocked: zeros(),
    unmeasured: zeros(),
  }
  for (const { step, ups, downs, blockeds, unmeasureds, quantiles } of rows) {
    const [p50 = null, p95 = null, p99 = null] = ups === 0 ? [] : quantiles
    all.p50Ms[step] = tenths(p50)
    all.p95Ms[step] = tenths(p95)
    all.p99Ms[step] = tenths(p99)
    all.up[step] = ups
    all.down[step] = downs
    all.blocked[step] = blockeds
    all.unmeasured[step] = unmeasureds
  }
  return all
}
