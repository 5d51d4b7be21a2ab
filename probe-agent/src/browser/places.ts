/** The right to run a page; released when all of it is gone. */
export type Place = { release(): void }

/** Bounds the pages that are open at once. */
export type Places = {
  /**
   * Waits for a place in the order of asking. `overloaded` when the wait or the queue is too long,
   * `stopped` when the signal aborts first.
   */
  take(signal: AbortSignal): Promise<Place | 'overloaded' | 'stopped'>
  readonly taken: number
}

const waitingMax = 64

type Waiter = { admit(): void }

/** @param waitMsMax the longest wait for a place, ms */
export const createPlaces = (max: number, waitMsMax: number): Places => {
  const queue = new Set<Waiter>()
  let taken = 0

  const hold = (): Place => {
    taken += 1
    let held = true
    return {
      release: () => {
        if (!held) return
        held = false
        taken -= 1
        const [next] = queue
        next?.admit()
      },
    }
  }
  const wait = (signal: AbortSignal): Promise<Place | 'overloaded' | 'stopped'> =>
    new Promise((resolve) => {
      const leave = (result: Place | 'overloaded' | 'stopped'): void => {
        queue.delete(waiter)
        clearTimeout(timer)
        signal.removeEventListener('abort', onAbort)
        resolve(result)
      }
      const onAbort = (): void => leave('stopped')
      const timer = setTimeout(leave, waitMsMax, 'overloaded')
      const waiter: Waiter = { admit: () => leave(hold()) }
      signal.addEventListener('abort', onAbort, { once: true })
      queue.add(waiter)
    })

  return {
    take: async (signal) => {
      if (signal.aborted) return 'stopped'
      if (taken < max && queue.size === 0) return hold()
      return queue.size >= waitingMax ? 'overloaded' : wait(signal)
    },
    get taken() {
      return taken
    },
  }
}
