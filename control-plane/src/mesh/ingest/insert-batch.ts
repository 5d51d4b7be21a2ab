import { insertReadings } from '../../readings/insert-readings.ts'
import type { ReadingRow } from '../../readings/insert-readings.ts'
import type { IngestContext } from './context.ts'
import { settleReadings } from './settle-readings.ts'

/**
 * Inserts a batch that nobody has tried before: one statement. When that fails, for whatever reason,
 * nobody knows what of it is stored, and every further try settles.
 * @throws ClickHouseError when the store refuses the batch: then nothing of it is stored
 */
export const insertBatch = async (
  context: IngestContext,
  rows: readonly ReadingRow[],
  token: string,
): Promise<void> => {
  let act: () => Promise<void> = () => insertReadings(context.clickhouse, rows, token)
  await context.retry('clickhouse', () => {
    const acting = act()
    act = () => settleReadings(context, rows, token)
    return acting
  })
}
