import { readingId } from '@probe-mesh/contracts/reading'
import type { Reading, ReadingKind } from '@probe-mesh/contracts/reading'
import type { ClickHouse } from './connect.ts'

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
  const found = new Set<string>()
  for (let at = 0; at < identities.length; at += idsPerQuery) {
    const part = identities.slice(at, at + idsPerQuery)
    const slots = part.map((identity) => identity.slot)
    const result = await clickhouse.query({
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
    for (const row of await result.json<StoredRow>()) {
      found.add(
        readingId({
          checkId: row.check_id,
          region: row.region,
          slot: row.slot_ms,
          kind: row.kind,
          number: row.number,
        }),
      )
    }
  }
  return found
}

type StoredRow = {
  check_id: string
  region: string
  slot_ms: number
  kind: ReadingKind
  number: number
}
