import { readingId, type Reading, type ReadingKind } from '@probe-mesh/contracts/reading/reading'
import type { ClickHouse } from '../../stores/clickhouse/connect.ts'
import type { ClickHouseNode, Shard } from '../../stores/clickhouse/shard.ts'

type Identity = Pick<Reading, 'checkId' | 'region' | 'slot' | 'kind' | 'number'>

/** Identities in one statement, which keeps its text well under the server's limit. */
const idsPerQuery = 2_000

/**
 * Which of these readings are stored. Finds duplicates that are older than the memory of stored slots.
 * @returns the ids (`readingId`) that exist
 */
export const storedReadingIds = async (
  clickhouse: ClickHouse,
  identities: readonly Identity[],
): Promise<Set<string>> => {
  const places = await storedReadingPlaces(clickhouse, identities, (shard, act) =>
    shard.useCurrent('readings_raw', act),
  )
  return new Set(places.keys())
}

/**
 * The position of the shard that has each of these readings, by `readingId`.
 * @param ask runs the query; by default on a replica that may lag behind the others
 */
export const storedReadingPlaces = async (
  { shards }: Pick<ClickHouse, 'shards'>,
  identities: readonly Identity[],
  ask: Ask = (shard, act) => shard.use(act),
): Promise<Map<string, number>> => {
  const found = new Map<string, number>()
  for (const [place, shard] of shards.entries()) {
    for (let at = 0; at < identities.length; at += idsPerQuery) {
      const part = identities.slice(at, at + idsPerQuery)
      const rows = await ask(shard, (replica) => findRows(replica, part))
      for (const row of rows) {
        const { check_id: checkId, region, slot_ms: slot, kind, number } = row
        found.set(readingId({ checkId, region, slot, kind, number }), place)
      }
    }
  }
  return found
}

type Ask = (shard: Shard, act: (replica: ClickHouseNode) => Promise<StoredRow[]>) => Promise<StoredRow[]>

const findRows = async (replica: ClickHouseNode, part: readonly Identity[]): Promise<StoredRow[]> => {
  const slots = part.map((identity) => identity.slot)
  const result = await replica.query({
    // the slot range lets whole days be skipped; the key columns find the rest
    query: `
      select check_id, region, toUnixTimestamp64Milli(slot) as slot_ms, kind, number
      from readings_raw
      where slot between fromUnixTimestamp64Milli({from:Int64}) and fromUnixTimestamp64Milli({to:Int64})
        and check_id in {checks:Array(UUID)}
        and (check_id, region, slot) in (
          select arrayJoin(arrayZip({ids:Array(UUID)}, {regions:Array(String)},
            arrayMap(ms -> fromUnixTimestamp64Milli(ms, 'UTC'), {slots:Array(Int64)})))
        )`,
    query_params: {
      from: Math.min(...slots),
      to: Math.max(...slots),
      checks: [...new Set(part.map((identity) => identity.checkId))],
      ids: part.map((identity) => identity.checkId),
      regions: part.map((identity) => identity.region),
      slots,
    },
    format: 'JSONEachRow',
  })
  return result.json<StoredRow>()
}

type StoredRow = {
  check_id: string
  region: string
  slot_ms: number
  kind: ReadingKind
  number: number
}

type Asked = Pick<Reading, 'checkId' | 'region' | 'slot'>

/** Checks in one statement: a server refuses form fields above 128 KiB. */
const checksPerQuery = 2_000

/**
 * The newest stored scheduled slot of each check and region of these readings, from the oldest of their slots
 * on. @returns Unix ms by `<check id>:<region>`; missing if there is none
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
