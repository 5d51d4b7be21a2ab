import type { Reading } from '@probe-mesh/contracts/reading'
import type { ClickHouse } from './connect.ts'

type Asked = Pick<Reading, 'checkId' | 'region' | 'slot'>

/** Checks asked about in one statement: a server takes no field of a form above 128 KiB. */
const checksPerQuery = 2_000

/**
 * The newest stored scheduled slot of every check among these readings, per region, from the
 * oldest of their slots on. @returns by `<check id>:<region>`, Unix ms; missing where none is
 */
export const newestStoredSlots = async (
  clickhouse: ClickHouse,
  readings: readonly Asked[],
): Promise<Map<string, number>> => {
  const newest = new Map<string, number>()
  const from = readings.reduce((oldest, { slot }) => Math.min(oldest, slot), Infinity)
  const checkIds = [...new Set(readings.map((reading) => reading.checkId))]
  for (let at = 0; at < checkIds.length; at += checksPerQuery) {
    const result = await clickhouse.query({
      query: `
        select toString(check_id) as id, region, toUnixTimestamp64Milli(max(slot)) as newest
        from readings_raw
        where check_id in {checks:Array(UUID)}
          and slot >= fromUnixTimestamp64Milli({from:Int64}) and kind = 'scheduled'
        group by check_id, region`,
      query_params: { checks: checkIds.slice(at, at + checksPerQuery), from },
      format: 'JSONEachRow',
    })
    for (const row of await result.json<{ id: string; region: string; newest: number }>()) {
      newest.set(`${row.id}:${row.region}`, row.newest)
    }
  }
  return newest
}
