import { handshakeWaitMsMax } from '../slots/run.ts'

/** The right to begin a connection; released when the connection stands or has failed. */
export type Handshake = { release(): void }

/**
 * Spreads the beginnings of connections, so that those in progress do not slow each other's
 * measurements: a few begin in each turn of the event loop, and a turn that has much to do for
 * those under way lets the next ones come later.
 */
export type Handshakes = {
  /**
   * Waits for a place in the order of asking. `overloaded` when the wait or the queue is full,
   * `stopped` when the signal aborts first.
   * @param work what it costs our processor: `handshakeWork`
   */
  begin(signal: AbortSignal, work: number): Promise<Handshake | 'overloaded' | 'stopped'>
  readonly inProgress: number
  readonly waiting: number
}

/** A TLS handshake is worth the work of four plain connections. */
export const handshakeWork = { plain: 1, tls: 4 } as const

/**
 * The work begun in one turn of the loop: six plain connections or one TLS handshake, which makes
 * what is measured longer by less than 2 ms (`npm run bench -- probe`).
 */
const workPerTurn = 6

/** Handshakes at once: so many may wait for far targets and silent resolvers before others do. */
export const handshakesMaxDefault = 512

/** A handshake this long is waiting for the target, not for our processor: it gives up its place. */
const heldMsMax = 1_000

const waitingMax = 10_000

type Waiter = { admit(): void; gone: boolean; work: number }

export const createHandshakes = (max = handshakesMaxDefault): Handshakes => {
  let inProgress = 0
  let waiting = 0
  let queue: Waiter[] = []
  let head = 0

  /** Who waits longest; stays at the head until taken. */
  const first = (): Waiter | undefined => {
    while (head < queue.length) {
      const waiter = queue[head]
      if (waiter !== undefined && !waiter.gone) return waiter
      head += 1
    }
    queue = []
    head = 0
    return undefined
  }
  /** What has begun in this turn of the loop. */
  let workBegun = 0
  const mayBegin = (work: number): boolean =>
    inProgress < max && (workBegun === 0 || workBegun + work <= workPerTurn)
  const admit = (): void => {
    for (let waiter = first(); waiter !== undefined && mayBegin(waiter.work); waiter = first()) {
      head += 1
      waiter.admit()
    }
    if (head < waitingMax) return
    queue = queue.slice(head)
    head = 0
  }
  const turn = (): void => {
    workBegun = 0
    admit()
  }
  const hold = (work: number): Handshake => {
    inProgress += 1
    if (workBegun === 0) setImmediate(turn)
    workBegun += work
    let held = true
    const release = (): void => {
      if (!held) return
      held = false
      clearTimeout(timer)
      inProgress -= 1
      admit()
    }
    const timer = setTimeout(release, heldMsMax)
    return { release }
  }
  const wait = (signal: AbortSignal, work: number): Promise<Handshake | 'overloaded' | 'stopped'> =>
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
      const waiter: Waiter = { gone: false, work, admit: () => leave(hold(work)) }
      signal.addEventListener('abort', onAbort, { once: true })
      queue.push(waiter)
    })

  return {
    begin: async (signal, work) => {
      if (signal.aborted) return 'stopped'
      if (waiting === 0 && mayBegin(work)) return hold(work)
      return waiting >= waitingMax ? 'overloaded' : wait(signal, work)
    },
    get inProgress() {
      return inProgress
    },
    get waiting() {
      return waiting
    },
  }
}
