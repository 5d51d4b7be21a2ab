import type { Region } from '@probe-mesh/contracts/reading/regions'
import { ofChecks } from './catalog-checks-query.ts'
import type { ClickHouse } from '../../stores/clickhouse/connect.ts'

/** The first and the last hour in which a check was good in a region: their beginnings, Unix ms. */
export type GoodHours = { checkId: string; region: Region; firstMs: number; lastMs: number }

/** When each of these checks was good in each region, as far back as hours are kept. */
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
