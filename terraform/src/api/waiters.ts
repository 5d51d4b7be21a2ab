/**
 * The writes of a process that were told to wait for a place in the key's budget. A place is told and
 * not held: a write that sets out meanwhile could take it, and the one that had waited for it would be
 * refused a second time, which is surfaced.
 */
type Waiters = {
  enter(): void
  leave(): void
  /** Resolves once nobody waits, or the signal is aborted. */
  gone(signal: AbortSignal): Promise<void>
}

export const createWaiters = (): Waiters => {
  let count = 0
  /** Called once nobody waits. */
  const listeners = new Set<() => void>()

  const nextQuiet = (signal: AbortSignal): Promise<void> =>
    new Promise((resolve) => {
      const done = (): void => {
        listeners.delete(done)
        signal.removeEventListener('abort', done)
        resolve()
      }
      listeners.add(done)
      signal.addEventListener('abort', done)
    })
  return {
    enter: () => {
      count += 1
    },
    leave: () => {
      count -= 1
      if (count === 0) for (const done of listeners) done()
    },
    gone: async (signal) => {
      if (count > 0 && !signal.aborted) await nextQuiet(signal)
    },
  }
}
