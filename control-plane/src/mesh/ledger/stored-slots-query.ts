import type { Region } from '@probe-mesh/contracts/reading/regions'
import type { ClickHouse } from '../../stores/clickhouse/connect.ts'

/**
 * Scheduled readings stored for slots in [fromMs, toMs), both on a minute, by region: the ledger's
 * other side. Reads one rollup row per check, region and minute of the days touched.
 */
export const storedSlotsByRegion = async (
  clickhouse: ClickHouse,
  fromMs: number,
  toMs: number,
): Promise<Map<Region, { measured: number; unmeasured: number }>> => {
  const result = await clickhouse.query({
    query: `
      select region, sum(up + down + blocked) as measured, sum(unmeasured) as none
      from readings_minute
      where at >= toDateTime({from:UInt32}, 'UTC') and at < toDateTime({to:UInt32}, 'UTC')
      group by region`,
    query_params: { from: Math.floor(fromMs / 1_000), to: Math.floor(toMs / 1_000) },
    format: 'JSONEachRow',
  })
  const rows = await result.json<{ region: Region; measured: string; none: string }>()
  return new Map(
    rows.map(({ region, measured, none }) => [
      region,
      { measured: Number(measured), unmeasured: Number(none) },
    ]),
  )
}
