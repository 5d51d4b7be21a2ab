import type { ClickHouse } from '@probe-mesh/control-plane/clickhouse/connect'

/** Some checks' readings since an instant, Unix ms. */
export type Readings = { checkIds: readonly string[]; sinceMs: number }

/** How many of them have a verdict. */
export const countVerdicts = async (
  clickhouse: ClickHouse,
  verdict: string,
  readings: Readings,
): Promise<number> => {
  const result = await clickhouse.query({
    query: `select toUInt32(count()) as count from readings_raw where verdict = {verdict:String}
      and check_id in {checkIds:Array(UUID)} and toUnixTimestamp64Milli(slot) >= {sinceMs:Int64}`,
    query_params: { verdict, ...readings },
    format: 'JSONEachRow',
  })
  return (await result.json<{ count: number }>())[0]?.count ?? 0
}

/** The longest latency that is told of a region's readings, ms; 0 where none is. */
export const slowestMs = async (
  clickhouse: ClickHouse,
  region: string,
  readings: Readings,
): Promise<number> => {
  const result = await clickhouse.query({
    query: `select toFloat64(ifNull(max(latency_ms), 0)) as ms from readings_raw
      where region = {region:String} and check_id in {checkIds:Array(UUID)}
        and toUnixTimestamp64Milli(slot) >= {sinceMs:Int64}`,
    query_params: { region, ...readings },
    format: 'JSONEachRow',
  })
  return (await result.json<{ ms: number }>())[0]?.ms ?? 0
}
