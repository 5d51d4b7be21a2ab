/** Waits until the time has passed or the signal aborts. Never rejects. */
export type Pause = (waitMs: number, signal?: AbortSignal) => Promise<void>

export const pause: Pause = (waitMs, signal) =>
  new Promise((resolve) => {
    const finish = (): void => {
      clearTimeout(timer)
      signal?.removeEventListener('abort', finish)
      resolve()
    }
    const timer = setTimeout(finish, waitMs)
    signal?.addEventListener('abort', finish, { once: true })
    if (signal?.aborted === true) finish()
  })
