import type { ClickHouse } from '@probe-mesh/control-plane/stores/clickhouse/connect'

/** The readings of some checks since an instant, Unix ms. */
export type Readings = { checkIds: readonly string[]; sinceMs: number }

/** Counts the readings with a verdict. */
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

/** A reading with a latency: its time, Unix ms, and the latency of the target, ms. */
export type Timed = { id: string; measuredMs: number; latencyMs: number }

/** Returns the scheduled readings of a region that have a latency. */
export const timedReadings = async (
  clickhouse: ClickHouse,
  region: string,
  readings: Readings,
): Promise<Timed[]> => {
  const result = await clickhouse.query({
    query: `select concat(toString(check_id), ':', region, ':', toString(toUnixTimestamp64Milli(slot))) as id,
        toFloat64(toUnixTimestamp64Milli(measured_at)) as measuredMs, toFloat64(latency_ms) as latencyMs
      from readings_raw where region = {region:String} and check_id in {checkIds:Array(UUID)}
        and kind = 'scheduled' and latency_ms is not null and toUnixTimestamp64Milli(slot) >= {sinceMs:Int64}`,
    query_params: { region, ...readings },
    format: 'JSONEachRow',
  })
  return result.json<Timed>()
}
