import type { Reading } from '@probe-mesh/contracts/reading/reading'
import type { ClickHouse } from '../../stores/clickhouse/connect.ts'

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
  for (const shard of clickhouse.shards) {
    for (let at = 0; at < checkIds.length; at += checksPerQuery) {
      const checks = checkIds.slice(at, at + checksPerQuery)
      const rows = await shard.useCurrent('readings_raw', async (replica) => {
        const result = await replica.query({
          query: `
            select toString(check_id) as id, region, toUnixTimestamp64Milli(max(slot)) as newest
            from readings_raw
            where check_id in {checks:Array(UUID)}
              and slot >= fromUnixTimestamp64Milli({from:Int64}) and kind = 'scheduled'
            group by check_id, region`,
          query_params: { checks, from },
          format: 'JSONEachRow',
        })
        return result.json<{ id: string; region: string; newest: number }>()
      })
      for (const row of rows) {
        const pair = `${row.id}:${row.region}`
        newest.set(pair, Math.max(row.newest, newest.get(pair) ?? row.newest))
      }
    }
  }
  return newest
}
