/**
 * The writes of a process that wait for quota of the key. `Retry-After` reserves nothing: a write sent in the
 * meantime could use the quota, and the waiting write would be refused a second time, which is an error.
 */
type Waiters = {
  enter(): void
  leave(): void
  /** Resolves when no write waits, or the signal aborts. */
  gone(signal: AbortSignal): Promise<void>
}

export const createWaiters = (): Waiters => {
  let count = 0
  /** Called when no write waits. */
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
