import { setTimeout as wait } from 'node:timers/promises'
import type { Sql, Transaction } from './connect.ts'

/** As long as writes of readings may be held up, ms: less than a statement of theirs waits. */
const stillMsMax = 10_000
const lockMsMax = 5_000
const pollMs = 20
/** Error batches are not held up by this, and may be under way whenever one looks. */
const errorTriesMax = 20

export type Stillness = 'still' | 'busy'

/**
 * Runs `work` while no batch of readings is half stored and none begins: whoever has a partition
 * waits for its lease's row, and its readings on the stream. What both stores hold agrees to the reading.
 * @returns `busy` where a batch that was begun did not end in time: `work` did not run
 */
export const whileIngestIsStill = async (
  sql: Sql,
  work: () => Promise<void>,
): Promise<Stillness> => {
  for (let attempt = 1; ; attempt++) {
    const outcome = await sql.begin(async (tx) => {
      await tx.unsafe(`set local lock_timeout = ${lockMsMax}`)
      await tx`select from partition_leases order by partition for update`
      if (!(await batchesEnd(tx))) return 'busy'
      if (attempt < errorTriesMax && (await isErrorBatchOpen(tx))) return 'again'
      await work()
      return 'still'
    })
    if (outcome !== 'again') return outcome as Stillness
    await wait(pollMs)
  }
}

const batchesEnd = async (tx: Transaction): Promise<boolean> => {
  const end = performance.now() + stillMsMax
  for (;;) {
    if ((await tx`select from ingest_batches limit 1`).length === 0) return true
    if (performance.now() > end) return false
    await wait(pollMs)
  }
}

const isErrorBatchOpen = async (tx: Transaction): Promise<boolean> =>
  (await tx`select from error_batches limit 1`).length > 0
