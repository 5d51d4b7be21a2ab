import { Worker } from 'node:worker_threads'
import { importPools } from '@probe-mesh/contracts/check/import-pools'
import { refuse, type Refusal } from '@probe-mesh/contracts/schema/refusal'
import { createFairPool } from '@probe-mesh/runtime/fair-pool'
import type { PoolMetrics } from '@probe-mesh/runtime/pool-metrics'
import type { ReadAnswer, ReadQuestion } from './read-text.ts'

/** Reads imports, one at a time, in a thread of their own. Accounts take turns. */
export type ImportReader = {
  /** @returns SV-9002 without a turn in time */
  read(accountId: string, question: ReadQuestion): Promise<ReadAnswer | Refusal>
}

const retryAfterSeconds = 5
const readMsMax = importPools.imports.workMsMax
const megabytesMax = 384

/** @param capabilities.read replaces the thread in tests */
export const createImportReader = ({
  pools,
  read = readInThread,
}: {
  pools?: PoolMetrics
  read?: (question: ReadQuestion) => Promise<ReadAnswer>
} = {}): ImportReader => {
  const { bounds, waitMsMax } = importPools.imports
  const pool = createFairPool(bounds)
  pools?.watch('imports', pool)
  return {
    read: async (accountId, question) => {
      const place = await pool.take(accountId, { waitMsMax })
      if (typeof place === 'string') return refuse('SV-9002', { retryAfterSeconds })
      try {
        return await read(question)
      } finally {
        place.release()
      }
    },
  }
}

const tooLarge: ReadAnswer = {
  problems: [`The text takes more than ${readMsMax / 1_000} s to read. Import a smaller part of it.`],
}

/** A thread for each import, which frees its memory and ends in time. */
export const readInThread = (question: ReadQuestion, msMax: number = readMsMax): Promise<ReadAnswer> =>
  new Promise((resolve, reject) => {
    const thread = new Worker(new URL('import-thread.ts', import.meta.url), {
      name: 'import',
      workerData: question,
      resourceLimits: { maxOldGenerationSizeMb: megabytesMax },
    })
    const settle = (end: () => void): void => {
      clearTimeout(timer)
      end()
      void thread.terminate()
    }
    const timer = setTimeout(() => settle(() => resolve(tooLarge)), msMax)
    thread.once('message', (answer: ReadAnswer) => settle(() => resolve(answer)))
    thread.once('error', (cause: NodeJS.ErrnoException) =>
      settle(() =>
        cause.code === 'ERR_WORKER_OUT_OF_MEMORY'
          ? resolve(tooLarge)
          : reject(new Error('an import could not be read', { cause })),
      ),
    )
  })
