import { setImmediate as yieldToLoop } from 'node:timers/promises'
import type { ErrorEvent } from '../events/error-event.ts'
import type { ClickHouse, Insert } from '@probe-mesh/control-plane/src/stores/clickhouse/connect'
import { byShard, type ShardRows } from '@probe-mesh/control-plane/src/stores/clickhouse/shard'
import { writeShards } from '@probe-mesh/control-plane/src/stores/clickhouse/write-shards'

/** An event with its issue. */
export type OccurrenceRow = { event: ErrorEvent; issueId: string; keepDays: number }

const columns = [
  'project_id',
  'issue_id',
  'at',
  'event_id',
  'received_at',
  'level',
  'platform',
  'release',
  'environment',
  'transaction',
  'type',
  'message',
  'frames',
  'tags',
  'context',
  'batch',
  'keep_days',
] as const

/** Rows that are encoded without a yield: about 1 ms, the longest delay for other work. */
const rowsPerTurn = 20

type Unit = { batch: string; token: string }

/**
 * Inserts occurrences, one insert for each shard. A repeated insert with the same token stores nothing.
 * @param unit.batch finds the stored rows after an insert with an unknown result
 * @throws ClickHouseError when a shard rejects its rows; it then stored none of them
 */
export const insertOccurrences = (
  clickhouse: ClickHouse,
  rows: readonly OccurrenceRow[],
  unit: Unit,
): Promise<void> => insertOccurrenceParts(occurrencesByShard(clickhouse, rows), unit)

/** Groups rows by the shard that owns their project. */
export const occurrencesByShard = (
  { shards }: Pick<ClickHouse, 'shards'>,
  rows: readonly OccurrenceRow[],
  placeOf?: (row: OccurrenceRow) => number | undefined,
): ShardRows<OccurrenceRow>[] => byShard(shards, rows, ({ event }) => event.projectId, placeOf)

/** Like `insertOccurrences`, for rows that are grouped by shard. */
export const insertOccurrenceParts = async (
  parts: readonly ShardRows<OccurrenceRow>[],
  unit: Unit,
): Promise<void> => {
  const some = parts.filter(({ rows }) => rows.length > 0)
  if (some.length === 0) return
  await writeShards(some, async (replica, rows) => {
    await replica.insert(await occurrencesInsert(rows, unit))
  })
}

const occurrencesInsert = async (rows: readonly OccurrenceRow[], { batch, token }: Unit): Promise<Insert> => {
  const values: unknown[][] = []
  for (const row of rows) {
    values.push(toCells(row, batch))
    if (values.length % rowsPerTurn === 0) await yieldToLoop()
  }
  return {
    table: 'error_occurrences',
    columns: [...columns],
    values,
    format: 'JSONCompactEachRow',
    clickhouse_settings: {
      async_insert: 0,
      insert_deduplicate: 1,
      insert_deduplication_token: token,
    },
  }
}

/** With decimals, because DateTime64 reads an integer as seconds. */
const instant = (ms: number): string => (ms / 1000).toFixed(3)

const toCells = ({ event, issueId, keepDays }: OccurrenceRow, batch: string): unknown[] => [
  event.projectId,
  issueId,
  instant(event.at),
  asUuid(event.eventId),
  instant(event.receivedAt),
  event.level,
  event.platform,
  event.release,
  event.environment,
  event.transaction,
  event.type,
  event.message,
  JSON.stringify(event.frames),
  JSON.stringify(event.tags),
  JSON.stringify(event.context),
  batch,
  keepDays,
]

/** 32 hexadecimal digits in the format of a UUID of any version. */
const asUuid = (hex: string): string =>
  [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-')
