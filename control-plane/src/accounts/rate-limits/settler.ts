import type { Logger } from 'pino'
import { keepLooping } from '../../stores/faults.ts'
import type { QuotaCounter } from './quota-counter.ts'

const paceMs = 500
const settledAtOnce = 20
/** Quotas that a closing instance settles; blocks of the others expire. */
const settledOnCloseMax = 2_000

export type Settler = {
  /** Settles everything that has expired. */
  settle(): Promise<void>
  /** Returns all leased blocks, expired or not, and stops. */
  close(): Promise<void>
}

/** Reports expired blocks of keys without new calls, and calls that were counted without a block. */
export const startSettler = (capabilities: {
  unsettled: Set<QuotaCounter>
  log: Logger
  now: () => number
  /** Whether a query may be sent now. */
  canQuery: () => boolean
  /** Called at every round. */
  onRound: () => void
}): Settler => {
  const { unsettled, now, canQuery, onRound } = capabilities
  const closing = new AbortController()

  const settleSome = (counters: readonly QuotaCounter[]): Promise<unknown> =>
    Promise.all(counters.map((counter) => counter.settle()))

  const settle = async (): Promise<void> => {
    const due: QuotaCounter[] = []
    for (const counter of unsettled) {
      if (counter.isSyncing()) continue
      if (counter.local.isDue(now())) due.push(counter)
      else if (counter.local.isSettled()) unsettled.delete(counter)
    }
    for (let at = 0; at < due.length && canQuery() && !closing.signal.aborted; at += settledAtOnce) {
      // a call may have settled it in the meantime
      await settleSome(due.slice(at, at + settledAtOnce).filter(({ local }) => local.isDue(now())))
    }
  }
  const loop = keepLooping(capabilities.log, {
    what: 'quotas cannot be settled',
    round: async () => {
      await settle()
      onRound()
    },
    everyMs: paceMs,
  })
  return {
    settle: async () => {
      await settle()
      onRound()
    },
    close: async () => {
      closing.abort()
      await loop.close()
      const open = [...unsettled].slice(0, settledOnCloseMax)
      for (let at = 0; at < open.length && canQuery(); at += settledAtOnce) {
        await settleSome(open.slice(at, at + settledAtOnce))
      }
    },
  }
}
