import { measuredColumns, measuredIn, type MeasuredRow } from './measured-row.ts'
import type { StoredReading } from '@probe-mesh/contracts/check/check'
import { limits } from '@probe-mesh/contracts/schema/limits'
import { isRefusal, refuse, type FieldProblem, type Refusal } from '@probe-mesh/contracts/schema/refusal'
import type { RouteInput } from '@probe-mesh/contracts/api/routes'
import { findCheck } from '../records/check/checks-store.ts'
import { inAccount } from '../stores/postgres/in-account.ts'
import { createCursor, cutPage } from '../accounts/operations/page-of.ts'
import { queryClickHouse } from '../accounts/operations/query-clickhouse.ts'
import type { AccountContext, Caller } from '../accounts/operations/context.ts'
import type { ClickHouse } from '../stores/clickhouse/connect.ts'
import { ReadingKind } from '@probe-mesh/contracts/reading/reading'
import { Region } from '@probe-mesh/contracts/reading/regions'
import { z } from 'zod'

/** Readings of every kind with slots in [from, to), newest first, in pages (S-716). */
export const listReadings = async (
  context: Pick<AccountContext, 'sql' | 'clickhouse' | 'now' | 'log'>,
  caller: Caller,
  input: RouteInput<'listReadings'>,
): Promise<{ readings: StoredReading[]; nextCursor: string | null } | Refusal> => {
  const { from, to, region, limit, cursor } = input.query
  const before = cursor === undefined ? undefined : parseCursor(cursor)
  const problems: FieldProblem[] = []
  if (before === null) problems.push({ path: 'cursor', message: 'is not a cursor of this list' })
  if (from !== undefined && to !== undefined && from >= to) {
    problems.push({ path: 'from', message: 'must be before to' })
  }
  if (problems.length > 0) return refuse('SV-2001', { errors: problems })

  const check = await inAccount(context.sql, caller.accountId, (tx) =>
    findCheck(tx, caller.accountId, input.params.id),
  )
  if (check === null) return refuse('SV-3001')
  const page = await queryClickHouse(context, caller.accountId, () =>
    findReadings(context.clickhouse, {
      checkId: check.id,
      region,
      fromMs: from,
      // readings of an agent whose clock is ahead appear when their time has come
      toMs: Math.min(to ?? Number.POSITIVE_INFINITY, context.now() + 1),
      limit: limit ?? limits.readingsPageDefault,
      before: before ?? undefined,
    }),
  )
  if (isRefusal(page)) return page
  return {
    readings: page.readings,
    nextCursor: page.next === null ? null : formatCursor(page.next),
  }
}

/** The end of a page: the sort key of its last row. */
type ReadingPosition = { slotMs: number; region: Region; kind: ReadingKind; number: number }

type ReadingsFilter = {
  checkId: string
  region?: Region | undefined
  /** Slots in [fromMs, toMs). */
  fromMs?: number | undefined
  toMs?: number | undefined
  limit: number
  before?: ReadingPosition | undefined
}

type ReadingsPage = { readings: StoredReading[]; next: ReadingPosition | null }

const kinds = { scheduled: 1, confirmation: 2, manual: 3 } as const

/** Readings of a check, of every kind, newest first. */
export const findReadings = async (clickhouse: ClickHouse, filter: ReadingsFilter): Promise<ReadingsPage> => {
  const conditions = ['check_id = {checkId:UUID}']
  if (filter.region !== undefined) conditions.push('region = {region:String}')
  if (filter.fromMs !== undefined) conditions.push('slot >= fromUnixTimestamp64Milli({from:Int64})')
  if (filter.toMs !== undefined) conditions.push('slot < fromUnixTimestamp64Milli({to:Int64})')
  if (filter.before !== undefined) {
    conditions.push(
      '(slot, region, toInt8(kind), number) < (fromUnixTimestamp64Milli({beforeSlot:Int64}), {beforeRegion:String}, {beforeKind:Int8}, {beforeNumber:UInt32})',
    )
  }
  const result = await clickhouse.query({
    query: `
      select ${columns}
      from readings_raw
      where ${conditions.join(' and ')}
      order by slot desc, region desc, toInt8(kind) desc, number desc
      limit {limit:UInt32}`,
    query_params: {
      checkId: filter.checkId,
      region: filter.region,
      from: filter.fromMs,
      to: filter.toMs,
      limit: filter.limit + 1,
      ...(filter.before === undefined
        ? {}
        : {
            beforeSlot: filter.before.slotMs,
            beforeRegion: filter.before.region,
            beforeKind: kinds[filter.before.kind as keyof typeof kinds] ?? 1,
            beforeNumber: filter.before.number,
          }),
    },
    format: 'JSONEachRow',
  })
  const rows = await result.json<RawRow>()
  const { entries, next } = cutPage(rows, filter.limit, ({ slot_ms: slotMs, region, kind, number }) => ({
    slotMs,
    region,
    kind,
    number,
  }))
  return { readings: entries.map(toStoredReading), next }
}

/** The newest reading of each region measured in (fromMs, atMs], by region: what was known at `atMs`. */
export const findReadingsAt = async (
  clickhouse: ClickHouse,
  { checkId, fromMs, atMs }: { checkId: string; fromMs: number; atMs: number },
): Promise<StoredReading[]> => {
  const result = await clickhouse.query({
    query: `
      select ${columns}
      from readings_raw
      where check_id = {checkId:UUID}
        and slot > fromUnixTimestamp64Milli({from:Int64}) and slot <= fromUnixTimestamp64Milli({at:Int64})
        and measured_at <= fromUnixTimestamp64Milli({at:Int64})
      order by region, measured_at desc, toInt8(kind) desc, number desc
      limit 1 by region`,
    query_params: { checkId, from: fromMs, at: atMs },
    format: 'JSONEachRow',
  })
  return (await result.json<RawRow>()).map(toStoredReading)
}

const columns = `region, toUnixTimestamp64Milli(slot) as slot_ms, kind, number, verdict, reason,
        ${measuredColumns},
        toUnixTimestamp64Milli(measured_at) as measured_ms,
        toUnixTimestamp64Milli(received_at) as received_ms, agent,
        toUnixTimestamp64Milli(certificate_expires_at) as certificate_ms`

type RawRow = MeasuredRow & {
  region: Region
  slot_ms: number
  kind: StoredReading['kind']
  number: number
  verdict: StoredReading['verdict']
  reason: string | null
  measured_ms: number
  received_ms: number
  agent: string
  certificate_ms: number | null
}

const toStoredReading = (row: RawRow): StoredReading => ({
  region: row.region,
  slot: new Date(row.slot_ms).toISOString(),
  kind: row.kind,
  verdict: row.verdict,
  reason: row.reason,
  ...measuredIn(row),
  measuredAt: new Date(row.measured_ms).toISOString(),
  receivedAt: new Date(row.received_ms).toISOString(),
  agent: row.agent,
  certificateExpiresAt:
    row.certificate_ms === null ? null : new Date(Number(row.certificate_ms)).toISOString(),
})

const positions = createCursor(
  z.tuple([
    z.int().min(0).max(8_640_000_000_000_000),
    Region,
    ReadingKind,
    z.int().min(0).max(4_294_967_295),
  ]),
)

/** The end of a page as opaque text: the next page starts after this reading. */
export const formatCursor = ({ slotMs, region, kind, number }: ReadingPosition): string =>
  positions.format([slotMs, region, kind, number])

/** The position of one of our cursors, or null. */
export const parseCursor = (text: string): ReadingPosition | null => {
  const position = positions.parse(text)
  if (position === null) return null
  const [slotMs, region, kind, number] = position
  return { slotMs, region, kind, number }
}
