import { readingId } from '@probe-mesh/contracts/reading/reading'
import type { Reading, ReadingKind } from '@probe-mesh/contracts/reading/reading'
import type { ClickHouse } from '../../stores/clickhouse/connect.ts'
import type { ClickHouseNode, Shard } from '../../stores/clickhouse/shard.ts'

type Identity = Pick<Reading, 'checkId' | 'region' | 'slot' | 'kind' | 'number'>

/** Identities asked about in one statement: keeps the query text well under the server's limit. */
const idsPerQuery = 2_000

/**
 * Which of these readings are stored already: how twins are found that are older than memory.
 * @returns the ids (contracts/reading `readingId`) that exist
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
 * The place of the shard that each of these readings is on, by `readingId`.
 * @param ask on a replica that may lack what another one has taken, unless it is said otherwise
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

type Ask = (
  shard: Shard,
  act: (replica: ClickHouseNode) => Promise<StoredRow[]>,
) => Promise<StoredRow[]>

const findRows = async (
  replica: ClickHouseNode,
  part: readonly Identity[],
): Promise<StoredRow[]> => {
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
