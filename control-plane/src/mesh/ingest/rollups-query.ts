import type { Reading, Verdict } from '@probe-mesh/contracts/reading/reading'
import type { Region } from '@probe-mesh/contracts/reading/regions'
import type { ClickHouse } from '../../stores/clickhouse/connect.ts'

/** Each fed from `readings_raw` by its view, in steps of so many seconds. */
const rollups = {
  readings_minute: { view: 'readings_minute_view', stepSeconds: 60 },
  readings_hour: { view: 'readings_hour_view', stepSeconds: 3_600 },
} as const

export type Rollup = keyof typeof rollups

/** One row of a rollup. */
export type RollupKey = {
  checkId: string
  region: Region
  /** The step's begin, Unix seconds. */
  at: number
}

/** What the raw table counts under a key, less what the rollup does. */
export type RollupDifference = RollupKey & Record<Verdict, number>

/** Keys asked about in one statement: keeps the query text well under the server's limit. */
const keysPerQuery = 2_000

/** The key under which a rollup counts a scheduled reading. */
export const rollupKeyOf = (
  rollup: Rollup,
  { checkId, region, slot }: Pick<Reading, 'checkId' | 'region' | 'slot'>,
): RollupKey => {
  const { stepSeconds } = rollups[rollup]
  return { checkId, region, at: Math.floor(slot / 1_000 / stepSeconds) * stepSeconds }
}

/** A key as a key of maps and sets. */
export const nameOf = ({ checkId, region, at }: RollupKey): string => `${checkId}:${region}:${at}`

/** Where a rollup counts otherwise than the raw table does. Keys that agree are left out. */
export const rollupDifferences = async (
  clickhouse: ClickHouse,
  rollup: Rollup,
  keys: readonly RollupKey[],
): Promise<RollupDifference[]> => {
  const view = await viewQuery(clickhouse, rollup)
  const differences: RollupDifference[] = []
  for (let from = 0; from < keys.length; from += keysPerQuery) {
    const part = keys.slice(from, from + keysPerQuery)
    const result = await clickhouse.query({
      query: `
        select toString(check_id) as id, region, toUnixTimestamp(at) as seconds, sum(ups) as up,
          sum(downs) as down, sum(blockeds) as blocked, sum(unmeasureds) as unmeasured
        from (
          select check_id, region, at, toInt64(up) as ups, toInt64(down) as downs,
            toInt64(blocked) as blockeds, toInt64(unmeasured) as unmeasureds
          from (${view}) where ${asked}
          union all
          select check_id, region, at, -toInt64(up), -toInt64(down), -toInt64(blocked),
            -toInt64(unmeasured)
          from ${rollup} where ${asked}
        )
        group by check_id, region, at
        having up != 0 or down != 0 or blocked != 0 or unmeasured != 0`,
      query_params: {
        from: Math.min(...part.map((key) => key.at)),
        to: Math.max(...part.map((key) => key.at)),
        checks: [...new Set(part.map((key) => key.checkId))],
        ids: part.map((key) => key.checkId),
        regions: part.map((key) => key.region),
        ats: part.map((key) => key.at),
      },
      format: 'JSONEachRow',
    })
    for (const { id, region, seconds, ...counts } of await result.json<DifferenceRow>()) {
      differences.push({ checkId: id, region, at: seconds, ...counts })
    }
  }
  return differences
}

type DifferenceRow = { id: string; region: Region; seconds: number } & Record<Verdict, number>

/** Checks and times let whole parts be skipped, also below the view's grouping. */
const asked = `
  check_id in {checks:Array(UUID)}
  and at between toDateTime({from:UInt32}, 'UTC') and toDateTime({to:UInt32}, 'UTC')
  and (check_id, region, at) in (
    select arrayJoin(arrayZip({ids:Array(UUID)}, {regions:Array(String)},
      arrayMap(at -> toDateTime(at, 'UTC'), {ats:Array(UInt32)}))))`

/** The view's own select, so that what is compared and repaired is what it would have written. */
const viewQuery = async (clickhouse: ClickHouse, rollup: Rollup): Promise<string> => {
  const { view } = rollups[rollup]
  const result = await clickhouse.query({
    query: `
      select as_select from system.tables
      where database = currentDatabase() and name = {view:String}`,
    query_params: { view },
    format: 'JSONEachRow',
  })
  const [row] = await result.json<{ as_select: string }>()
  if (row === undefined || row.as_select === '') throw new Error(`no view ${view}`)
  return row.as_select
}

/** In one statement: its text stays under what we let the server read of it. */
const readingsPerInsert = 20_000
const statementBytesMax = 4 * 1024 * 1024

const settings = {
  max_query_size: String(statementBytesMax),
  // a token that was seen is not forgotten with its rows, and would drop them
  insert_deduplicate: 0,
  wait_end_of_query: 1,
} as const

/**
 * Counts readings of the raw table in a rollup that lacks them. Their names are written into the
 * text, for parameters of a command travel in its URL, where thousands do not fit. What they are
 * made of, UUIDs, regions and numbers, was parsed when the readings came, and has no quotes.
 */
export const countInRollup = async (
  clickhouse: ClickHouse,
  rollup: Rollup,
  readings: readonly Pick<Reading, 'checkId' | 'region' | 'slot'>[],
): Promise<void> => {
  const view = await viewQuery(clickhouse, rollup)
  for (let from = 0; from < readings.length; from += readingsPerInsert) {
    const names = readings
      .slice(from, from + readingsPerInsert)
      .map(
        ({ checkId, region, slot }) => `(\\'${checkId}\\',\\'${region}\\',\\'${instant(slot)}\\')`,
      )
    // the filter goes below the grouping, where the view itself has none
    await clickhouse.command({
      query: `
        insert into ${rollup} select * from (${view})
        settings additional_table_filters =
          {'readings_raw': '(check_id, region, slot) in (${names.join(',')})'}`,
      clickhouse_settings: settings,
    })
  }
}

/** ISO 8601 without its letters, in UTC: what a DateTime64 is compared with as text. */
const instant = (ms: number): string =>
  new Date(ms).toISOString().replace('T', ' ').replace('Z', '')

/**
 * Makes rows of a rollup anew from the raw table, which must still hold every reading of theirs.
 * One delete for all keys of a batch: each passes over every part of the table, seconds where there
 * are hundreds.
 */
export const rebuildRollup = async (
  clickhouse: ClickHouse,
  rollup: Rollup,
  keys: readonly RollupKey[],
): Promise<void> => {
  if (keys.length === 0) return
  const view = await viewQuery(clickhouse, rollup)
  const names = keys.map(({ checkId, region, at }) => `('${checkId}','${region}',${at})`)
  const where = `(check_id, region, at) in (${names.join(',')})`
  await clickhouse.command({
    query: `delete from ${rollup} where ${where}`,
    clickhouse_settings: { ...settings, lightweight_deletes_sync: '1' },
  })
  await clickhouse.command({
    query: `insert into ${rollup} select * from (${view}) where ${where}`,
    clickhouse_settings: settings,
  })
}
