import { requestPools } from '@probe-mesh/contracts/api/request-pools'
import { takeTurn, type Turns } from '@probe-mesh/runtime/account-turns'
import { createWarmThread, type WarmThread } from '@probe-mesh/runtime/warm-thread'
import type { ReplayQuestion } from './replay-thread.ts'

type ReplayThread = WarmThread<ReplayQuestion, unknown>

/** The threads of replays, one for each place. */
export type ReplayThreads = {
  /** Runs a replay in a thread of its own, when it is the account's turn. @throws StoreBusy */
  run<T>(accountId: string, replay: (ask: ReplayThread['ask']) => Promise<T>): Promise<T>
  close(): Promise<void>
}

/** A page of 8,000 slots takes a tenth of it. */
const cpuMsMax = 5_000
const megabytesMax = 256
const idleMsMax = 60_000

export const createReplayThreads = (turns: Turns): ReplayThreads => {
  const threads = Array.from({ length: requestPools.replays.bounds.places }, () =>
    createWarmThread<ReplayQuestion, unknown>(new URL('replay-thread.ts', import.meta.url), {
      cpuMsMax,
      megabytesMax,
      idleMsMax,
    }),
  )
  const free = [...threads]
  return {
    run: (accountId, replay) =>
      takeTurn(turns, accountId, async () => {
        const thread = free.pop()
        if (thread === undefined) throw new Error('more replays than places')
        try {
          return await replay(thread.ask)
        } finally {
          free.push(thread)
        }
      }),
    close: async () => {
      await Promise.all(threads.map((thread) => thread.close()))
    },
  }
}
