import { runLoop } from '@probe-mesh/runtime/loop'
import { pause } from '@probe-mesh/runtime/pause'
import { Closing, isOfTheData } from '../../stores/retry.ts'
import type { IngestContext } from './context.ts'
import type { FetchedMessage, Pending } from './pending.ts'
import { prepareBatch, type PreparedBatch } from './prepare-batch.ts'
import { storeBatch, storeFetched } from './store-batch.ts'

export type Writer = {
  /** Resolves when every batch started so far is stored, or the writer ended. */
  settled(): Promise<void>
  /**
   * Resolves after the signal once running work is done or abandoned; rejects if an invariant of ours is
   * broken.
   */
  readonly ended: Promise<void>
}

/** Stores batch after batch. While one is being stored, the next is prepared. */
export const startWriter = (capabilities: {
  context: IngestContext
  pending: Pending
  signal: AbortSignal
  now: () => number
}): Writer => {
  const { context, pending, signal, now } = capabilities
  const underWay = new Set<Promise<void>>()
  let storing: Promise<void> = Promise.resolve()
  let failure: unknown = null

  const storeNext = async (taken: FetchedMessage[], prepared: PreparedBatch | null) => {
    const finished = context.metrics.batchSeconds.startTimer()
    await (prepared === null ? storeFetched(context, taken) : storeBatch(context, prepared))
    finished()
  }
  /** null if the batch cannot be prepared: `storeFetched` then finds the faulty message. */
  const prepare = (taken: FetchedMessage[]): Promise<PreparedBatch | null> =>
    prepareBatch(context, taken).catch((error: unknown) => {
      if (!isOfTheData(error)) throw error
      return null
    })
  const takeBatch = async (): Promise<void> => {
    const done = Promise.withResolvers<void>()
    underWay.add(done.promise)
    const finish = (): void => {
      underWay.delete(done.promise)
      done.resolve()
    }
    try {
      const taken = pending.take()
      const prepared = await prepare(taken)
      await storing
      storing = storeNext(taken, prepared).finally(finish)
      storing.catch((error: unknown) => {
        failure = error
        pending.wake()
      })
    } catch (error) {
      finish()
      throw error
    }
  }
  const write = async (): Promise<void> => {
    await runLoop({
      signal,
      everyMs: 0,
      round: async () => {
        if (failure !== null) throw failure
        const dueAt = pending.dueAt()
        if (dueAt === null) return pending.changed()
        const waitMs = dueAt - now()
        if (pending.isSealed() || waitMs <= 0) return takeBatch()
        await Promise.race([pause(waitMs, signal), pending.changed()])
      },
      onError: (error) => {
        throw error
      },
    })
    await storing
  }
  const ended = write().catch(async (error: unknown) => {
    await storing.catch(() => {})
    if (!(error instanceof Closing)) throw error
  })
  return {
    settled: async () => {
      await Promise.all(underWay)
    },
    ended,
  }
}
