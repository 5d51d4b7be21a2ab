import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { readingId } from '@probe-mesh/contracts/reading/reading'
import type { ReadingKind } from '@probe-mesh/contracts/reading/reading'
import type { Region } from '@probe-mesh/contracts/reading/regions'
import { slotsDue } from '@probe-mesh/contracts/reading/slots'
import type { Revision } from '@probe-mesh/contracts/reading/slots'
import type { ClickHouse } from '@probe-mesh/control-plane/stores/clickhouse/connect'
import type { Sql } from '@probe-mesh/control-plane/stores/postgres/connect'

/**
 * Counts, straight from the stores and the journals, what the system claims: the independent side
 * of every promise about lost and repeated readings.
 */

/** Ids of every stored reading, of all regions or of one, as often as it is stored. */
export const storedIds = (clickhouse: ClickHouse, region?: Region): Promise<string[]> =>
  idsWhere(clickhouse, `{region:String} in ('', region)`, { region: region ?? '' })

/** Ids of every stored reading of some checks, as often as it is stored. */
export const storedIdsOf = (clickhouse: ClickHouse, checkIds: readonly string[]): Promise<string[]> =>
  idsWhere(clickhouse, 'check_id in {checkIds:Array(UUID)}', { checkIds })

const idsWhere = async (
  clickhouse: ClickHouse,
  where: string,
  params: Record<string, unknown>,
): Promise<string[]> => {
  const result = await clickhouse.query({
    query: `select toString(check_id) as id, region, toUnixTimestamp64Milli(slot) as slot, kind, number
      from readings_raw where ${where}`,
    query_params: params,
    format: 'JSONEachRow',
  })
  type Row = { id: string; region: string; slot: number; kind: ReadingKind; number: number }
  const rows = await result.json<Row>()
  return rows.map((row) => readingId({ ...row, checkId: row.id }))
}

/** Stored readings to which a target answered something. */
export const countAnswered = async (clickhouse: ClickHouse): Promise<number> => {
  const result = await clickhouse.query({
    query: 'select count() as count from readings_raw where http_status > 0',
    format: 'JSONEachRow',
  })
  return (await result.json<{ count: number }>())[0]?.count ?? 0
}

/** Counts per check, region and verdict: of the raw table's scheduled readings, and of a rollup. */
export const countsOf = async (
  clickhouse: ClickHouse,
  table: 'readings_raw' | 'readings_minute' | 'readings_hour',
): Promise<string[]> => {
  const counts =
    table === 'readings_raw'
      ? `countIf(verdict = 'up') as u, countIf(verdict = 'down') as d, countIf(verdict = 'blocked') as b, countIf(verdict = 'unmeasured') as n`
      : 'sum(up) as u, sum(down) as d, sum(blocked) as b, sum(unmeasured) as n'
  const where = table === 'readings_raw' ? `where kind = 'scheduled'` : ''
  const result = await clickhouse.query({
    query: `select concat(toString(check_id), ' ', region, ' ', toString(u), ' ', toString(d), ' ', toString(b), ' ', toString(n)) as line
      from (select check_id, region, ${counts} from ${table} ${where} group by check_id, region) order by line`,
    format: 'JSONEachRow',
  })
  return (await result.json<{ line: string }>()).map((row) => row.line)
}

/** The ids that each agent journalled as run, by the agent's name. */
export const readJournals = async (journalDir: string): Promise<Map<string, Set<string>>> => {
  const journals = new Map<string, Set<string>>()
  for (const name of await readdir(journalDir)) {
    const text = await readFile(join(journalDir, name), 'utf8')
    journals.set(name, new Set(text.split('\n').filter((id) => id !== '')))
  }
  return journals
}

/** Every id that any agent journalled as run. */
export const journalledIds = async (journalDir: string): Promise<Set<string>> => {
  const journals = await readJournals(journalDir)
  return [...journals.values()].reduce((all, ids) => all.union(ids), new Set<string>())
}

export type DueSlot = {
  id: string
  checkId: string
  region: Region
  slotMs: number
  intervalMs: number
}

/**
 * Every slot that the ledger says was due before an instant, of a check and region in order.
 * @param checkIds of these checks only; absent: of all
 */
export const dueSlots = async (
  sql: Sql,
  untilMs: number,
  checkIds?: readonly string[],
): Promise<DueSlot[]> => {
  const rows = await sql<
    {
      check_id: string
      valid_from: Date
      valid_to: Date | null
      regions: string[]
      interval_seconds: number
      paused: boolean
      spread: boolean
    }[]
  >`select * from check_revisions
    where ${checkIds === undefined ? sql`true` : sql`check_id = any(${[...checkIds]}::uuid[])`}
    order by check_id, revision`
  return rows.flatMap((row) => {
    const revision: Revision = {
      validFromMs: row.valid_from.getTime(),
      validToMs: row.valid_to?.getTime() ?? null,
      regions: row.regions,
      intervalSeconds: row.interval_seconds,
      paused: row.paused,
      isSpread: row.spread,
    }
    return row.regions.flatMap((region) =>
      slotsDue(row.check_id, region, [revision], 0, untilMs).map((slotMs) => ({
        id: `${row.check_id}:${region}:${slotMs}`,
        checkId: row.check_id,
        region,
        slotMs,
        intervalMs: row.interval_seconds * 1_000,
      })),
    )
  })
}

/** Pauses every check the way an operator would, so that what is under way can come to rest. */
export const pauseEverything = async (sql: Sql): Promise<void> => {
  await sql.begin(async (tx) => {
    const now = new Date()
    await tx`update checks set paused = true, revision = revision + 1, valid_from = ${now}`
    await tx`update check_revisions set valid_to = ${now} where valid_to is null`
    await tx`
      insert into check_revisions (check_id, revision, valid_from, regions, interval_seconds, paused)
      select id, revision, valid_from, regions, interval_seconds, paused from checks`
    await tx`select pg_notify('checks_changed', id::text) from checks`
  })
}

/**
 * What is wrong with the flips of any check: each must start where the one before ended, and change the
 * status or a mark beside it; of a mark alone live pages are not told.
 */
export const brokenFlips = async (sql: Sql): Promise<string[]> => {
  const rows = await sql<
    {
      check_id: string
      version: number
      from_status: string
      to_status: string
      marks: string
      told: string
    }[]
  >`
    with told as (
      select payload -> 'flip' ->> 'id' as flip_id, string_agg(kind, ' ' order by kind) as kinds
      from outbox group by flip_id
    )
    select check_id, version, from_status, to_status, concat(unconfirmed, none_up) as marks,
      kinds as told
    from flips left join told on flip_id = flips.id::text
    order by check_id, version`
  const none = { check_id: '', version: 0, to_status: 'unknown', marks: '' }
  let last = none
  return rows.flatMap((row) => {
    const before = row.check_id === last.check_id ? last : none
    last = row
    const isMark = row.from_status === row.to_status && row.marks !== before.marks
    const sound =
      row.version === before.version + 1 &&
      row.from_status === before.to_status &&
      (isMark || row.from_status !== row.to_status) &&
      row.told === (isMark ? 'alert' : 'alert flip')
    return sound ? [] : [JSON.stringify({ before, row })]
  })
}

/** The flips of some checks since an instant, of a check in order. */
export const flipsSince = async (
  sql: Sql,
  checkIds: readonly string[],
  sinceMs: number,
): Promise<{ id: string; checkId: string; to: string }[]> => {
  const rows = await sql<{ id: string; check_id: string; to_status: string }[]>`
    select id, check_id, to_status from flips
    where check_id = any(${[...checkIds]}::uuid[]) and at >= ${new Date(sinceMs)}
    order by check_id, version`
  return rows.map((row) => ({ id: row.id, checkId: row.check_id, to: row.to_status }))
}

/**
 * Of a region's scheduled readings in a time: how many arrived later than `lateMs` after their slot,
 * and how far from its slot any of them was measured, ms.
 */
export const latenessOf = async (
  clickhouse: ClickHouse,
  span: { region: Region; fromMs: number; toMs: number; lateMs: number },
): Promise<{ late: number; farthestMs: number }> => {
  const result = await clickhouse.query({
    query: `select
        toUInt32(countIf(dateDiff('millisecond', slot, received_at) > {lateMs:Float64})) as late,
        toFloat64(max(abs(dateDiff('millisecond', slot, measured_at)))) as farthestMs
      from readings_raw where region = {region:String} and kind = 'scheduled'
        and toUnixTimestamp64Milli(slot) between {fromMs:Int64} and {toMs:Int64}`,
    query_params: span,
    format: 'JSONEachRow',
  })
  const [row] = await result.json<{ late: number; farthestMs: number }>()
  return row ?? { late: 0, farthestMs: 0 }
}
