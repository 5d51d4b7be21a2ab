import { handshakeWaitMsMax } from '../slots/run.ts'

/** The right to begin a connection; released when the connection stands or has failed. */
export type Handshake = { release(): void }

/** Bounds the handshakes that are in progress, so that they do not slow each other's measurements. */
export type Handshakes = {
  /**
   * Waits for a place in the order of asking. `overloaded` when the wait or the queue is full,
   * `stopped` when the signal aborts first.
   */
  begin(signal: AbortSignal): Promise<Handshake | 'overloaded' | 'stopped'>
  readonly inProgress: number
  readonly waiting: number
}

/** Handshakes at once: what one core completes in about a tenth of a second. */
export const handshakesMaxDefault = 128

/** A handshake this long is waiting for the target, not for our processor: it gives up its place. */
const heldMsMax = 1_000

const waitingMax = 10_000

type Waiter = { admit(): void; gone: boolean }

export const createHandshakes = (max = handshakesMaxDefault): Handshakes => {
  let inProgress = 0
  let waiting = 0
  let queue: Waiter[] = []
  let head = 0

  const next = (): Waiter | undefined => {
    while (head < queue.length) {
      const waiter = queue[head]
      head += 1
      if (head === queue.length || head >= waitingMax) {
        queue = queue.slice(head)
        head = 0
      }
      if (waiter !== undefined && !waiter.gone) return waiter
    }
    return undefined
  }
  const hold = (): Handshake => {
    inProgress += 1
    let held = true
    const release = (): void => {
      if (!held) return
      held = false
      clearTimeout(timer)
      inProgress -= 1
      next()?.admit()
    }
    const timer = setTimeout(release, heldMsMax)
    return { release }
  }
  const wait = (signal: AbortSignal): Promise<Handshake | 'overloaded' | 'stopped'> =>
    new Promise((resolve) => {
      waiting += 1
      const leave = (result: Handshake | 'overloaded' | 'stopped'): void => {
        waiting -= 1
        waiter.gone = true
        clearTimeout(timer)
        signal.removeEventListener('abort', onAbort)
        resolve(result)
      }
      const onAbort = (): void => leave('stopped')
      const timer = setTimeout(leave, handshakeWaitMsMax, 'overloaded')
      const waiter: Waiter = { gone: false, admit: () => leave(hold()) }
      signal.addEventListener('abort', onAbort, { once: true })
      queue.push(waiter)
    })

  return {
    begin: async (signal) => {
      if (signal.aborted) return 'stopped'
      if (inProgress < max) return hold()
      return waiting >= waitingMax ? 'overloaded' : wait(signal)
    },
    get inProgress() {
      return inProgress
    },
    get waiting() {
      return waiting
    },
  }
}
