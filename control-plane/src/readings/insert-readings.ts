import type { Reading } from '@probe-mesh/contracts/reading/reading'
import type { ClickHouse, Insert } from '../stores/clickhouse/connect.ts'
import { byShard } from '../stores/clickhouse/shard.ts'
import { writeShards } from '../stores/clickhouse/write-shards.ts'

/** A reading with its agent, arrival time and retention. */
export type ReadingRow = {
  reading: Reading
  agent: string
  receivedAtMs: number
  rawDays: number
  hourDays: number
}

const columns = [
  'check_id',
  'region',
  'slot',
  'kind',
  'number',
  'verdict',
  'fault',
  'cause',
  'reason',
  'http_status',
  'latency_ms',
  'dns_ms',
  'connect_ms',
  'tls_ms',
  'ttfb_ms',
  'transfer_ms',
  'attempts',
  'late_ms',
  'address',
  'certificate_expires_at',
  'measured_at',
  'received_at',
  'agent',
  'raw_days',
  'hour_days',
  'details',
  'screenshot',
  'proven',
] as const

/**
 * Inserts a batch, one unit per shard. Its token makes a repeated batch count once, in the raw table and in
 * the target of every view (S-709), unless a server with unreplicated tables was killed in between: the
 * repeated batch settles that (`mesh/ingest/settle-readings.ts`).
 * @param placeOf the shard for a row, if not the one that owns it
 * @throws ClickHouseError if a shard refuses its rows; it stored none of them, other shards stored theirs
 */
export const insertReadings = async (
  clickhouse: ClickHouse,
  rows: readonly ReadingRow[],
  token: string,
  placeOf?: (row: ReadingRow) => number | undefined,
): Promise<void> => {
  if (rows.length === 0) return
  const parts = byShard(clickhouse.shards, rows, ({ reading }) => reading.checkId, placeOf)
  await writeShards(parts, async (replica, part) => {
    await replica.insert(readingsInsert(part, token))
  })
}

/** The insert of one shard. */
export const readingsInsert = (rows: readonly ReadingRow[], token: string): Insert => ({
  table: 'readings_raw',
  columns: [...columns],
  values: rows.map(toCells),
  format: 'JSONCompactEachRow',
  clickhouse_settings: {
    async_insert: 0,
    insert_deduplicate: 1,
    insert_deduplication_token: token,
    deduplicate_blocks_in_dependent_materialized_views: 1,
  },
})

/** DateTime64 reads a bare integer as seconds; with a decimal point it is exact to the millisecond. */
const instant = (ms: number): string => (ms / 1000).toFixed(3)

const toCells = ({ reading, agent, receivedAtMs, rawDays, hourDays }: ReadingRow): unknown[] => [
  reading.checkId,
  reading.region,
  instant(reading.slot),
  reading.kind,
  reading.number,
  reading.verdict,
  reading.fault,
  reading.cause,
  reading.reason,
  reading.httpStatus ?? 0,
  reading.latencyMs,
  reading.timings.dnsMs,
  reading.timings.connectMs,
  reading.timings.tlsMs,
  reading.timings.ttfbMs,
  reading.timings.transferMs,
  reading.attempts,
  reading.lateMs,
  reading.address ?? '',
  reading.certificateExpiresAt === null ? null : instant(reading.certificateExpiresAt),
  instant(reading.measuredAt),
  instant(receivedAtMs),
  agent,
  rawDays,
  hourDays,
  reading.details ? JSON.stringify(reading.details) : '',
  reading.screenshot ?? '',
  reading.proven ?? false,
]
