import type { StoredReading } from '@probe-mesh/contracts/check/check'
import type { Region } from '@probe-mesh/contracts/reading/regions'
import type { ClickHouse } from '../stores/clickhouse/connect.ts'

/** Where a page of readings ended: the sort key of its last row. */
export type ReadingPosition = { slotMs: number; region: Region; kind: string; number: number }

export type ReadingsFilter = {
  checkId: string
  region?: Region | undefined
  /** Slots in [fromMs, toMs). */
  fromMs?: number | undefined
  toMs?: number | undefined
  limit: number
  before?: ReadingPosition | undefined
}

export type ReadingsPage = { readings: StoredReading[]; next: ReadingPosition | null }

const kinds = { scheduled: 1, confirmation: 2, manual: 3 } as const

/** A check's readings of every kind, newest first. */
export const listReadings = async (
  clickhouse: ClickHouse,
  filter: ReadingsFilter,
): Promise<ReadingsPage> => {
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
      select region, toUnixTimestamp64Milli(slot) as slot_ms, kind, number, verdict, reason,
        http_status, latency_ms, dns_ms, connect_ms, tls_ms, ttfb_ms, transfer_ms,
        toUnixTimestamp64Milli(measured_at) as measured_ms,
        toUnixTimestamp64Milli(received_at) as received_ms, agent, details,
        toUnixTimestamp64Milli(certificate_expires_at) as certificate_ms
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
  const page = rows.slice(0, filter.limit)
  const last = page.at(-1)
  const more = rows.length > filter.limit && last !== undefined
  return {
    readings: page.map(toStoredReading),
    next: more
      ? { slotMs: last.slot_ms, region: last.region, kind: last.kind, number: last.number }
      : null,
  }
}

type RawRow = {
  region: Region
  slot_ms: number
  kind: StoredReading['kind']
  number: number
  verdict: StoredReading['verdict']
  reason: string | null
  http_status: number
  latency_ms: number | null
  dns_ms: number | null
  connect_ms: number | null
  tls_ms: number | null
  ttfb_ms: number | null
  transfer_ms: number | null
  measured_ms: number
  received_ms: number
  agent: string
  details: string
  certificate_ms: number | null
}

/** Float32 shows more digits than were measured: readings are rounded to 0.1 ms at the agent. */
const tenths = (ms: number | null): number | null => (ms === null ? null : Math.round(ms * 10) / 10)

const toStoredReading = (row: RawRow): StoredReading => ({
  region: row.region,
  slot: new Date(row.slot_ms).toISOString(),
  kind: row.kind,
  verdict: row.verdict,
  reason: row.reason,
  httpStatus: row.http_status === 0 ? null : row.http_status,
  latencyMs: tenths(row.latency_ms),
  timings: {
    dnsMs: tenths(row.dns_ms),
    connectMs: tenths(row.connect_ms),
    tlsMs: tenths(row.tls_ms),
    ttfbMs: tenths(row.ttfb_ms),
    transferMs: tenths(row.transfer_ms),
  },
  measuredAt: new Date(row.measured_ms).toISOString(),
  receivedAt: new Date(row.received_ms).toISOString(),
  agent: row.agent,
  certificateExpiresAt:
    row.certificate_ms === null ? null : new Date(Number(row.certificate_ms)).toISOString(),
  details: row.details === '' ? null : (JSON.parse(row.details) as StoredReading['details']),
})
