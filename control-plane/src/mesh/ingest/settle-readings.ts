import { readingId } from '@probe-mesh/contracts/reading/reading'
import { isRejectedByClickHouse } from '../../stores/clickhouse/connect.ts'
import { insertReadings } from '../../readings/insert-readings.ts'
import type { ReadingRow } from '../../readings/insert-readings.ts'
import { runningInsertsEnded } from '../../stores/clickhouse/running-inserts.ts'
import { storedReadingIds, storedReadingPlaces } from './stored-readings-query.ts'
import type { IngestContext } from './context.ts'
import { settleRollup } from './settle-rollup.ts'

export type SettleContext = Pick<IngestContext, 'clickhouse' | 'metrics' | 'log' | 'now'>

/** Further tokens for a batch whose own the store remembers without the rows. */
const furtherTokensMax = 8
const hourMs = 3_600_000
const dayMs = 24 * hourMs
/** Clocks differ, and the store drops what is older than its retention already at the insert. */
const retentionMarginMs = hourMs

/**
 * Stores a batch whose insert was tried before, with an outcome that nobody knows: afterwards each
 * reading is in the raw table once, and the rollups count what it holds. The token alone does not
 * give that. A server that is killed between its note of the token and the part leaves the token
 * without the rows, and drops the repeat; one that notes it after the part keeps the repeat as well.
 *
 * Several may settle one batch at once. Each looks again after its own writes, and when the inserts
 * beside them have ended: whoever writes last sees what all have written (S-709).
 * @throws ClickHouseError when the store refuses the rows and holds none of them: they may be divided
 */
export const settleReadings = async (
  context: SettleContext,
  rows: readonly ReadingRow[],
  token: string,
): Promise<void> => {
  const { clickhouse } = context
  if (clickhouse.isReplicated) return repeatInsert(context, rows, token)
  const missing = await unrefused(() => findMissing(context, rows))
  // under the batch's own token, for an earlier try may be on its way to the server still
  const insert = () => insertReadings(clickhouse, missing, token)
  await (missing.length === rows.length ? insert() : unrefused(insert))
  await unrefused(() => insertForgotten(context, missing, token))
  await settleRollups(context, rows, token)
}

/**
 * Replicated tables note a token together with its rows, that of a view's target too: the same rows under the same
 * token are enough, on whichever replica. A row goes where it is already, which is not its owner's shard where one
 * was added meanwhile.
 */
const repeatInsert = async (
  { clickhouse }: SettleContext,
  rows: readonly ReadingRow[],
  token: string,
): Promise<void> => {
  const readings = rows.map(({ reading }) => reading)
  const places = await unrefused(() => storedReadingPlaces(clickhouse, readings))
  await insertReadings(clickhouse, rows, token, ({ reading }) => places.get(readingId(reading)))
}

/** Makes both rollups agree with the raw table, which holds these readings, wherever they count. */
export const settleRollups = (
  context: SettleContext,
  rows: readonly ReadingRow[],
  token: string,
): Promise<void> =>
  unrefused(async () => {
    // there rows and rollups come to each replica in their own time: a difference is none to repair
    if (context.clickhouse.isReplicated) return
    const kept = rows.filter(isKept(context)).map(({ reading }) => reading)
    const counted = kept.filter(({ kind }) => kind === 'scheduled')
    await settleRollup(context, 'readings_minute', counted, token)
    await settleRollup(context, 'readings_hour', counted, token)
  })

/** Which rows the raw table does not hold, asked when nothing is being inserted. */
const findMissing = async (
  { clickhouse }: SettleContext,
  rows: readonly ReadingRow[],
): Promise<ReadingRow[]> => {
  await runningInsertsEnded(clickhouse)
  const stored = await storedReadingIds(
    clickhouse,
    rows.map(({ reading }) => reading),
  )
  return rows.filter(({ reading }) => !stored.has(readingId(reading)))
}

/** Inserts what is missing though it was inserted: its token is remembered, so under another one. */
const insertForgotten = async (
  context: SettleContext,
  inserted: readonly ReadingRow[],
  token: string,
): Promise<void> => {
  const { clickhouse, metrics, log } = context
  let asked = inserted
  for (let further = 1; asked.length > 0; further += 1) {
    // what is about to expire may be missing for good
    const missing = (await findMissing(context, asked)).filter(isKept(context))
    if (missing.length === 0) return
    if (further > furtherTokensMax) throw new Error(`batch ${token} cannot be stored`)
    metrics.repairs.inc({ table: 'readings_raw' })
    log.warn({ batch: token, further, rows: missing.length }, 'the store dropped rows of a batch')
    await insertReadings(clickhouse, missing, `${token}-${further}`)
    asked = missing
  }
}

/** Whether the raw table must hold this reading, and all of its hour with it. */
const isKept =
  ({ now }: SettleContext) =>
  ({ reading, rawDays }: ReadingRow): boolean =>
    Math.floor(reading.slot / hourMs) * hourMs + rawDays * dayMs > now() + retentionMarginMs

/**
 * A refusal says to the caller that nothing of the batch is stored. Of a question, or of some of the
 * rows, it says no such thing: then it is a fault to be waited out.
 */
const unrefused = async <T>(act: () => Promise<T>): Promise<T> => {
  try {
    return await act()
  } catch (error) {
    if (!isRejectedByClickHouse(error)) throw error
    throw new Error('the store refuses to settle a batch', { cause: error })
  }
}
