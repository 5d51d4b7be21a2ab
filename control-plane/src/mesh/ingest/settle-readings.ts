import { readingId } from '@probe-mesh/contracts/reading/reading'
import { isRejectedByClickHouse } from '../../stores/clickhouse/connect.ts'
import type { ReadingRow } from '../../readings/insert-readings.ts'
import type { IngestContext } from './context.ts'
import { settleRollup } from './settle-rollup.ts'

export type SettleContext = Pick<IngestContext, 'tables' | 'metrics' | 'log' | 'now'>

/** Further tokens for a batch whose own token ClickHouse remembers without the rows. */
const furtherTokensMax = 8
const hourMs = 3_600_000
const dayMs = 24 * hourMs
/** Clocks differ, and ClickHouse drops rows beyond their retention at the insert. */
const retentionMarginMs = hourMs

/**
 * Stores a batch after an insert with an unknown outcome. Afterwards each reading is in the raw table once,
 * and the rollups agree with it. The token alone does not guarantee that. A server killed after it wrote the
 * token but before the rows drops the repeated insert; one that writes the token after the rows stores the
 * repeat too.
 *
 * Several processes may settle one batch at once. Each checks again after its own writes, once concurrent
 * inserts have ended: the last writer sees what all have written (S-709).
 * @throws ClickHouseError if ClickHouse refuses the rows and has none of them: they may be divided
 */
export const settleReadings = async (
  context: SettleContext,
  rows: readonly ReadingRow[],
  token: string,
): Promise<void> => {
  const { tables } = context
  if (tables.isReplicated) return repeatInsert(context, rows, token)
  const missing = await unrefused(() => findMissing(context, rows))
  // under the batch's own token, because an earlier attempt may still be on its way to the server
  const insert = () => tables.insert(missing, token)
  await (missing.length === rows.length ? insert() : unrefused(insert))
  await unrefused(() => insertForgotten(context, missing, token))
  await settleRollups(context, rows, token)
}

/**
 * Replicated tables write a token together with its rows, also for the target of a view: the same rows under
 * the same token are enough, on any replica. A stored row is sent to the shard that has it, which is not its
 * owner's shard if a shard was added since.
 */
const repeatInsert = async (
  { tables }: SettleContext,
  rows: readonly ReadingRow[],
  token: string,
): Promise<void> => {
  const readings = rows.map(({ reading }) => reading)
  const places = await unrefused(() => tables.findPlaces(readings))
  await tables.insert(rows, token, ({ reading }) => places.get(readingId(reading)))
}

/** Makes both rollups agree with the raw table, which has these readings. */
export const settleRollups = (
  context: SettleContext,
  rows: readonly ReadingRow[],
  token: string,
): Promise<void> =>
  unrefused(async () => {
    // replicas receive rows and rollups at different times: a difference needs no repair
    if (context.tables.isReplicated) return
    const kept = rows.filter(isKept(context)).map(({ reading }) => reading)
    const counted = kept.filter(({ kind }) => kind === 'scheduled')
    await settleRollup(context, 'readings_minute', counted, token)
    await settleRollup(context, 'readings_hour', counted, token)
  })

/** The rows that are not in the raw table, queried while no insert runs. */
const findMissing = async ({ tables }: SettleContext, rows: readonly ReadingRow[]): Promise<ReadingRow[]> => {
  await tables.insertsEnded()
  const stored = await tables.findStored(rows.map(({ reading }) => reading))
  return rows.filter(({ reading }) => !stored.has(readingId(reading)))
}

/**
 * Inserts rows that are missing although they were inserted. Their token is remembered, so another one is
 * used.
 */
const insertForgotten = async (
  context: SettleContext,
  inserted: readonly ReadingRow[],
  token: string,
): Promise<void> => {
  const { tables, metrics, log } = context
  let asked = inserted
  for (let further = 1; asked.length > 0; further += 1) {
    // readings about to expire may be missing for good
    const missing = (await findMissing(context, asked)).filter(isKept(context))
    if (missing.length === 0) return
    if (further > furtherTokensMax) throw new Error(`batch ${token} cannot be stored`)
    metrics.repairs.inc({ table: 'readings_raw' })
    log.warn(
      { batch: token, further, rows: missing.length },
      'ClickHouse dropped rows of a batch; inserting them again',
    )
    await tables.insert(missing, `${token}-${further}`)
    asked = missing
  }
}

/** Whether the raw table must still have this reading and all of its hour. */
const isKept =
  ({ now }: SettleContext) =>
  ({ reading, rawDays }: ReadingRow): boolean =>
    Math.floor(reading.slot / hourMs) * hourMs + rawDays * dayMs > now() + retentionMarginMs

/**
 * To the caller a refusal means that none of the batch is stored. A refused query, or a refusal of some rows,
 * does not mean that, so it becomes an error to retry.
 */
const unrefused = async <T>(act: () => Promise<T>): Promise<T> => {
  try {
    return await act()
  } catch (error) {
    if (!isRejectedByClickHouse(error)) throw error
    throw new Error('ClickHouse refused a statement while a batch was being settled', {
      cause: error,
    })
  }
}
