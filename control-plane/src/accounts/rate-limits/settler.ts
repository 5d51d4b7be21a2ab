import { startLoop } from '@probe-mesh/runtime/loop'
import type { Counter } from './counter.ts'

const paceMs = 500
const settledAtOnce = 20
/** What a closing instance gives back; the blocks of the others lapse. */
const settledOnCloseMax = 2_000

export type Settler = {
  /** Settles everything that has lapsed. */
  settle(): Promise<void>
  /** Gives back what is at hand, lapsed or not, and ends. */
  close(): Promise<void>
}

/** Brings blocks back that lapsed before a trip of their key did, and what was used without one. */
export const startSettler = (capabilities: {
  unsettled: Set<Counter>
  now: () => number
  /** Whether Postgres may be asked. */
  isOpen: () => boolean
  /** Called at every round. */
  onRound: () => void
}): Settler => {
  const { unsettled, now, isOpen, onRound } = capabilities
  const closing = new AbortController()

  const settleSome = (counters: readonly Counter[]): Promise<unknown> =>
    Promise.all(counters.map((counter) => counter.settle()))

  const settle = async (): Promise<void> => {
    const due: Counter[] = []
    for (const counter of unsettled) {
      if (counter.isTrading()) continue
      if (counter.purse.owes(now())) due.push(counter)
      else if (counter.purse.isSettled()) unsettled.delete(counter)
    }
    for (let at = 0; at < due.length && isOpen() && !closing.signal.aborted; at += settledAtOnce) {
      // what was due a moment ago may have been settled by a call since
      await settleSome(due.slice(at, at + settledAtOnce).filter(({ purse }) => purse.owes(now())))
    }
  }
  const loop = startLoop({
    round: async () => {
      await settle()
      onRound()
    },
    everyMs: paceMs,
    onError: (error) => {
      throw error
    },
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
      for (let at = 0; at < open.length && isOpen(); at += settledAtOnce) {
        await settleSome(open.slice(at, at + settledAtOnce))
      }
    },
  }
}
