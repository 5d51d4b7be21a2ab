import type { Logger } from 'pino'
import { faultsOf, keepLooping } from '../../stores/faults.ts'

const paceMs = 500
const rowsMax = 1_000
/** The most sightings that wait for Postgres, and that are remembered as written. Beyond, the oldest is dropped. */
const waitingMax = 50_000
const writtenMax = 200_000

/** Keeps one sighting for each key, the newest, and writes it in the background. */
export type SightingWriter<T, Written> = {
  waiting(key: string): T | undefined
  written(key: string): Written | undefined
  /** Replaces what waits for the key. */
  put(key: string, sighting: T): void
  /** Drops what is too much. */
  trim(): void
  close(): Promise<void>
}

/**
 * Writes sightings in batches, twice a second. A lost one is written with the next sighting, so memory is bounded
 * by dropping the oldest.
 * @param options.what for the log
 * @param options.remember what is kept of a written sighting
 */
export const startSightingWriter = <T, Written>(options: {
  save(batch: readonly T[]): Promise<void>
  remember(sighting: T): Written
  count(outcome: 'stored' | 'dropped', sightings: number): void
  what: string
  log: Pick<Logger, 'warn' | 'info'>
}): SightingWriter<T, Written> => {
  const { save, remember, count, what, log } = options
  const waiting = new Map<string, T>()
  const written = new Map<string, Written>()

  const write = async (): Promise<void> => {
    while (waiting.size > 0) {
      const batch = [...waiting].slice(0, rowsMax)
      await save(batch.map(([, each]) => each))
      count('stored', batch.length)
      for (const [key, each] of batch) {
        // a newer sighting still has to be written
        if (waiting.get(key) === each) waiting.delete(key)
        written.delete(key)
        written.set(key, remember(each))
      }
      dropOldest(written, writtenMax)
    }
  }
  const loop = keepLooping(log, {
    what: `${what} cannot be stored`,
    round: write,
    everyMs: paceMs,
    firstMs: paceMs,
  })
  return {
    waiting: (key) => waiting.get(key),
    written: (key) => written.get(key),
    put: (key, sighting) => {
      waiting.delete(key)
      waiting.set(key, sighting)
    },
    trim: () => count('dropped', dropOldest(waiting, waitingMax)),
    close: async () => {
      await loop.close()
      const work = { what: `the last ${what} cannot be stored` }
      await faultsOf(log).attempt(work, write)
      faultsOf(log).worked(work)
    },
  }
}

/** @returns how many were removed */
const dropOldest = (entries: Map<string, unknown>, max: number): number => {
  const over = Math.max(0, entries.size - max)
  for (const key of [...entries.keys()].slice(0, over)) entries.delete(key)
  return over
}
