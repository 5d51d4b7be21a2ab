import type { Reading } from '@probe-mesh/contracts/reading/reading'
import type { ClickHouse } from '../../stores/clickhouse/connect.ts'
import { viewQuery } from './rollups.ts'
import type { Rollup, RollupKey } from './rollups.ts'

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
