/** Lets readers wait for the next message of a partition without polling. */
export type Arrival = {
  /** Resolves at the next `announce`, on abort, or after `waitMs`, whichever is first. */
  wait(waitMs: number, signal: AbortSignal): Promise<void>
  announce(): void
}

export const createArrival = (): Arrival => {
  const waiting = new Set<() => void>()
  return {
    wait: (waitMs, signal) =>
      new Promise((resolve) => {
        const done = () => {
          clearTimeout(timer)
          signal.removeEventListener('abort', done)
          waiting.delete(done)
          resolve()
        }
        const timer = setTimeout(done, waitMs)
        signal.addEventListener('abort', done, { once: true })
        waiting.add(done)
        if (signal.aborted) done()
      }),
    announce: () => {
      for (const done of waiting) done()
    },
  }
}
