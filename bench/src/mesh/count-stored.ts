import type { ClickHouse } from '@probe-mesh/control-plane/stores/clickhouse/connect'

/** Scheduled readings in the store that were measured in [from, to), Unix ms. */
export const countStored = async (
  clickhouse: ClickHouse,
  fromMs: number,
  toMs: number,
): Promise<number> => {
  const result = await clickhouse.query({
    query: `
      select count() as count from readings_raw
      where kind = 'scheduled' and toUnixTimestamp64Milli(measured_at) >= {from:Int64}
        and toUnixTimestamp64Milli(measured_at) < {to:Int64}`,
    query_params: { from: fromMs, to: toMs },
    format: 'JSONEachRow',
  })
  const [row] = await result.json<{ count: number }>()
  return row?.count ?? 0
}
