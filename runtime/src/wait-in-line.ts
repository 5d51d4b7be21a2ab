/** Why a wait failed: the queue is full, the wait timed out, or the signal aborted. */
export type NoTurn = 'full' | 'timeout' | 'stopped'

/**
 * Waits in a queue, with a timeout and a signal.
 * @param enter joins the queue and returns a function that leaves it; null when the queue is full
 * @param waitMsMax the longest wait, ms; by default it lasts until the signal aborts
 */
export const waitInLine = <T>(
  enter: (settle: (result: T | NoTurn) => void) => (() => void) | null,
  { signal, waitMsMax }: { signal?: AbortSignal; waitMsMax?: number },
  onTimeout: () => void,
): Promise<T | NoTurn> =>
  new Promise((resolve) => {
    const settle = (result: T | NoTurn): void => {
      clearTimeout(timer)
      signal?.removeEventListener('abort', stop)
      resolve(result)
    }
    const leave = enter(settle)
    const drop = (why: NoTurn): void => {
      leave?.()
      settle(why)
    }
    const stop = (): void => drop('stopped')
    const expire = (): void => {
      onTimeout()
      drop('timeout')
    }
    const isTimed = waitMsMax !== undefined && leave !== null
    const timer = isTimed ? setTimeout(expire, waitMsMax) : undefined
    if (leave === null) return resolve('full')
    signal?.addEventListener('abort', stop, { once: true })
  })
