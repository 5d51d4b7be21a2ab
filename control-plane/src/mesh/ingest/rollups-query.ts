import type { Reading, Verdict } from '@probe-mesh/contracts/reading/reading'
import type { Region } from '@probe-mesh/contracts/reading/regions'
import type { ClickHouse } from '../../stores/clickhouse/connect.ts'

/** Each rollup is filled from `readings_raw` by its view. */
const rollups = {
  readings_minute: { view: 'readings_minute_view', stepSeconds: 60 },
  readings_hour: { view: 'readings_hour_view', stepSeconds: 3_600 },
} as const

export type Rollup = keyof typeof rollups

/** One row of a rollup. */
export type RollupKey = {
  checkId: string
  region: Region
  /** The start of the step, Unix seconds. */
  at: number
}

/** The counts of the raw table under a key, minus those of the rollup. */
export type RollupDifference = RollupKey & Record<Verdict, number>

/** Keys in one statement, which keeps its text well under the server's limit. */
const keysPerQuery = 2_000

/** The key under which a rollup counts a scheduled reading. */
export const rollupKeyOf = (
  rollup: Rollup,
  { checkId, region, slot }: Pick<Reading, 'checkId' | 'region' | 'slot'>,
): RollupKey => {
  const { stepSeconds } = rollups[rollup]
  return { checkId, region, at: Math.floor(slot / 1_000 / stepSeconds) * stepSeconds }
}

/** A key as text, for maps and sets. */
export const nameOf = ({ checkId, region, at }: RollupKey): string => `${checkId}:${region}:${at}`

/** The keys for which a rollup differs from the raw table. */
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

/** Checks and times let ClickHouse skip whole parts, even below the view's grouping. */
const asked = `
  check_id in {checks:Array(UUID)}
  and at between toDateTime({from:UInt32}, 'UTC') and toDateTime({to:UInt32}, 'UTC')
  and (check_id, region, at) in (
    select arrayJoin(arrayZip({ids:Array(UUID)}, {regions:Array(String)},
      arrayMap(at -> toDateTime(at, 'UTC'), {ats:Array(UInt32)}))))`

/** The view's own select: comparisons and repairs use exactly what the view would have written. */
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

/** Readings in one statement, which keeps its text under `statementBytesMax`. */
const readingsPerInsert = 20_000
const statementBytesMax = 4 * 1024 * 1024

const settings = {
  max_query_size: String(statementBytesMax),
  // a remembered token outlives its rows, and would drop them
  insert_deduplicate: 0,
  wait_end_of_query: 1,
} as const

/**
 * Counts readings of the raw table in a rollup that lacks them. Their keys are part of the statement's text,
 * because the parameters of a command are in its URL, where thousands do not fit. The keys are UUIDs, regions
 * and numbers that were parsed when the readings arrived, so they contain no quotes.
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
      .map(({ checkId, region, slot }) => `(\\'${checkId}\\',\\'${region}\\',\\'${instant(slot)}\\')`)
    // this filter applies below the grouping of the view
    await clickhouse.command({
      query: `
        insert into ${rollup} select * from (${view})
        settings additional_table_filters =
          {'readings_raw': '(check_id, region, slot) in (${names.join(',')})'}`,
      clickhouse_settings: settings,
    })
  }
}

/** ISO 8601 in UTC without its letters: the text form of a DateTime64. */
const instant = (ms: number): string => new Date(ms).toISOString().replace('T', ' ').replace('Z', '')

/**
 * Rebuilds rows of a rollup from the raw table, which must still have all their readings. One delete covers
 * all keys of a batch, because each delete reads every part of the table, which takes seconds with hundreds
 * of parts.
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
