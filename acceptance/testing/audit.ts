import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { readingId, type ReadingKind } from '@probe-mesh/contracts/reading/reading'
import type { Region } from '@probe-mesh/contracts/reading/regions'
import { slotsDue, type Revision } from '@probe-mesh/contracts/reading/slots'
import type { ClickHouse } from '@probe-mesh/control-plane/stores/clickhouse/connect'
import type { Sql } from '@probe-mesh/control-plane/stores/postgres/connect'

/**
 * Counts readings directly in the databases and journals, as the independent check of every promise about
 * lost and duplicate readings.
 */

/** The ids of all stored readings, of all regions or one, with duplicates. */
export const storedIds = (clickhouse: ClickHouse, region?: Region): Promise<string[]> =>
  idsWhere(clickhouse, `{region:String} in ('', region)`, { region: region ?? '' })

/** The ids of all stored readings of some checks, with duplicates. */
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

/** Counts stored readings with an answer of the target. */
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

/** The journalled ids of each agent, by its name. */
export const readJournals = async (journalDir: string): Promise<Map<string, Set<string>>> => {
  const journals = new Map<string, Set<string>>()
  for (const name of await readdir(journalDir)) {
    const text = await readFile(join(journalDir, name), 'utf8')
    journals.set(name, new Set(text.split('\n').filter((id) => id !== '')))
  }
  return journals
}

/** The journalled ids of all agents. */
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
 * Every expected slot of the ledger before an instant, in order per check and region.
 * @param checkIds only these checks; absent: all
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

/** Pauses every check like an operator, so that the system comes to rest. */
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
 * Lists broken flips: each must start at the end of the one before, and change the status or a mark. Live
 * pages are not notified of a mark only.
 */
export const brokenFlips = async (sql: Sql): Promise<string[]> => {
  const rows = await sql<
    {
      check_id: string
      version: number
      from_status: string
      to_status: string
      marks: string
      notified: string
    }[]
  >`
    with notified as (
      select payload -> 'flip' ->> 'id' as flip_id, string_agg(kind, ' ' order by kind) as kinds
      from outbox group by flip_id
    )
    select check_id, version, from_status, to_status, concat(unconfirmed, none_up) as marks,
      kinds as notified
    from flips left join notified on flip_id = flips.id::text
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
      row.notified === (isMark ? 'alert' : 'alert flip')
    return sound ? [] : [JSON.stringify({ before, row })]
  })
}

/**
 * The flips of some checks since an instant, in order per check. One from a status to itself only marks it for alert
 * rules, such as that no region is up; streams do not have it.
 */
export const flipsSince = async (
  sql: Sql,
  checkIds: readonly string[],
  sinceMs: number,
): Promise<{ id: string; checkId: string; from: string; to: string }[]> =>
  await sql<{ id: string; checkId: string; from: string; to: string }[]>`
    select id, check_id as "checkId", from_status as "from", to_status as "to" from flips
    where check_id = any(${[...checkIds]}::uuid[]) and at >= ${new Date(sinceMs)}
    order by check_id, version`

/**
 * For a region's scheduled readings in a period: the number that arrived later than `lateMs` after their
 * slot, and the maximum distance of a measurement from its slot, ms.
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
