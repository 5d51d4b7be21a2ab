import { setImmediate as yieldToLoop } from 'node:timers/promises'
import type { ErrorEvent } from '../error-tracking/error-event.ts'
import type { ClickHouse } from './connect.ts'

/** An event with the issue that it is an occurrence of. */
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

/** Rows written out in one go: about a millisecond, so that nothing else in the process waits for longer. */
const rowsPerTurn = 20

/**
 * Inserts occurrences as one unit, of which the same again under the same token counts once.
 * @param batch what they are found by, should it be unknown whether they are stored
 * @throws ClickHouseError when the store refuses them: then nothing of them was kept
 */
export const insertOccurrences = async (
  clickhouse: ClickHouse,
  rows: readonly OccurrenceRow[],
  { batch, token }: { batch: string; token: string },
): Promise<void> => {
  if (rows.length === 0) return
  const values: unknown[][] = []
  for (const row of rows) {
    values.push(toCells(row, batch))
    if (values.length % rowsPerTurn === 0) await yieldToLoop()
  }
  await clickhouse.insert({
    table: 'error_occurrences',
    columns: [...columns],
    values,
    format: 'JSONCompactEachRow',
    clickhouse_settings: {
      async_insert: 0,
      insert_deduplicate: 1,
      insert_deduplication_token: token,
    },
  })
}

/** DateTime64 reads a bare integer as seconds; with its point it is exact to the millisecond. */
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

/** 32 hexadecimal digits with the hyphens of a UUID, whatever its version. */
const asUuid = (hex: string): string =>
  [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-')
