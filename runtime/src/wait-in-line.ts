/** Why a wait ended without what was waited for: the line is full, it was too long, or the signal aborted. */
export type NoTurn = 'full' | 'timeout' | 'stopped'

/**
 * A wait in a line that ends in time, or when it is not wanted any more.
 * @param enter joins the line, and returns what leaves it; null where the line is full
 * @param waitMsMax the longest wait, ms; without it, it lasts until the signal aborts
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
