import { setTimeout as wait } from 'node:timers/promises'
import type { Sql, Transaction } from './connect.ts'

/** The longest block of writes of readings, ms: shorter than their statement timeout. */
const stillMsMax = 10_000
const lockMsMax = 5_000
const pollMs = 20
/** Error batches are not blocked, so they may be running at any check. */
const errorTriesMax = 20

type Stillness = 'still' | 'busy'

/**
 * Runs `work` while no batch of readings is half stored and none starts: owners of partitions wait for the
 * rows of their leases, and their readings wait in the stream. Both databases then agree on every reading.
 * @returns `busy` if a running batch did not end in time; then `work` did not run
 */
export const whileIngestIsStill = async (sql: Sql, work: () => Promise<void>): Promise<Stillness> => {
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
