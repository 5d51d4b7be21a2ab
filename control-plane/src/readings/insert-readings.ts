import type { Reading } from '@probe-mesh/contracts/reading/reading'
import type { ClickHouse, Insert } from '../stores/clickhouse/connect.ts'
import { byShard } from '../stores/clickhouse/shard.ts'
import { writeShards } from '../stores/clickhouse/write-shards.ts'

/** A reading with what ingest knows of it besides: who sent it, when it came, how long to keep it. */
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
] as const

/**
 * Inserts a batch, each shard's rows as one unit. The token makes the same batch sent twice count once, on
 * the raw table and on the target of every view (S-709), unless a server whose tables are not replicated was
 * killed in between: whoever sends a batch again settles it (ingest/settle-readings).
 * @param placeOf the shard that a row must go to, where it is not the one that owns it
 * @throws ClickHouseError when a shard refuses its rows: then it kept nothing of them, and the others theirs
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

/** What a shard is told to store. */
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

/** DateTime64 reads a bare integer as seconds; with its point it is exact to the millisecond. */
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
]
