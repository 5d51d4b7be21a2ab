import { importPools, shortImportCharactersMax } from '@probe-mesh/contracts/check/import-pools'
import { refuse, type Refusal } from '@probe-mesh/contracts/schema/refusal'
import { createFairPool, type FairPool } from '@probe-mesh/runtime/fair-pool'
import type { PoolMetrics } from '@probe-mesh/runtime/pool-metrics'
import { createWarmThread, ThreadEnded } from '@probe-mesh/runtime/warm-thread'
import type { ReadAnswer, ReadQuestion } from './read-text.ts'

/** Reads imports in two threads: short texts in one, longer ones in the other. Accounts take turns. */
export type ImportReader = {
  /** @returns SV-9002 without a turn in time, or if the thread failed */
  read(accountId: string, question: ReadQuestion): Promise<ReadAnswer | Refusal>
  close(): Promise<void>
}

const megabytesMax = 384
const idleMsMax = 60_000

const tooSlow: ReadAnswer = { problems: ['The text takes too long to read. Import a smaller part of it.'] }
const tooLarge: ReadAnswer = {
  problems: ['The text takes too much memory to read. Import a smaller part of it.'],
}

/** @param capabilities.read replaces the threads in tests */
export const createImportReader = ({
  pools,
  read,
}: {
  pools?: PoolMetrics
  read?: (question: ReadQuestion) => Promise<ReadAnswer>
} = {}): ImportReader => {
  const laneOf = (name: keyof typeof importPools, pool: FairPool) => {
    const { workMsMax, waitMsMax } = importPools[name]
    pools?.watch(name, pool)
    const thread = createWarmThread<ReadQuestion, ReadAnswer>(new URL('import-thread.ts', import.meta.url), {
      cpuMsMax: workMsMax,
      megabytesMax,
      idleMsMax,
    })
    return { pool, waitMsMax, workMsMax, thread }
  }
  const lanes = {
    short: laneOf('imports', createFairPool(importPools.imports.bounds)),
    long: laneOf('longImports', createFairPool(importPools.longImports.bounds)),
  }
  return {
    read: async (accountId, question) => {
      const lane = lanes[question.text.length > shortImportCharactersMax ? 'long' : 'short']
      const busy = refuse('SV-9002', { retryAfterSeconds: lane.workMsMax / 1_000 })
      const place = await lane.pool.take(accountId, { waitMsMax: lane.waitMsMax })
      if (typeof place === 'string') return busy
      try {
        return await (read ?? lane.thread.ask)(question)
      } catch (error) {
        if (!(error instanceof ThreadEnded)) throw error
        if (error.by === 'cpu') return tooSlow
        return error.by === 'memory' ? tooLarge : busy
      } finally {
        place.release()
      }
    },
    close: async () => {
      await Promise.all([lanes.short.thread.close(), lanes.long.thread.close()])
    },
  }
}
