import { Worker } from 'node:worker_threads'
import { errorPools } from '../../contracts/error-pools.ts'
import { createFairPool, type FairPool, type PoolBounds } from '@probe-mesh/runtime/fair-pool'
import type { Logger } from 'pino'
import type { Opened, OpenRequest, PackedBody } from './open-body.ts'
import { limitCpu } from '@probe-mesh/runtime/limit-cpu'

/** `more`: open the next piece of a body; `rest`: only count its remaining events. */
export type ThreadRequest = { number: number; owner: string } & (
  | { kind: 'dsn'; question: PackedBody }
  | { kind: 'open'; question: OpenRequest }
  | { kind: 'more' | 'rest' }
)
/** `ms`: the time that the piece took. */
export type ThreadResponse = { number: number; ms: number } & (
  | { answer: Opened | string | undefined }
  | { more: true }
  | { failed: Error }
)

/** The longest wait for a turn. */
const waitMsMax = 10_000
/** Bytes that count as 1 ms of the thread, because a body costs time and memory before it is opened. */
const bytesPerMs = 50_000
/** The owner of bodies without a known account. */
const anonymous = 'anonymous'

/** The thread ended during a request. The request can be retried. */
export class OpenerStopped extends Error {
  override readonly name = 'OpenerStopped'
}

/** The body held the thread for longer than a piece may. It would do so again. */
export class BodyTooSlow extends Error {
  override readonly name = 'BodyTooSlow'
}

/** What the thread works on, in shared memory, by index: the number of the request, and a count of pieces. */
export const requestAt = 0
export const pieceAt = 1

/** CPU time of one piece, which normally takes milliseconds, and how often it is read, ms. */
const pieceLimits = { cpuMsMax: 5_000, watchMs: 100 }

export type Opener = {
  /**
   * Like `openBody`, one piece at a time, in turns with the bodies of other accounts.
   * @param owner an account's id
   * @returns also the time in the thread; `busy` if too many bodies wait, of this account or of all
   * @throws OpenerStopped, BodyTooSlow, or the error of a bug in the thread
   */
  open(owner: string, question: OpenRequest): Promise<{ opened: Opened; ms: number } | 'busy'>
  /**
   * Like `dsnOf`. The account is not known yet, so all such bodies share the part of one account, and their
   * networks take turns. @throws OpenerStopped
   */
  dsnOf(network: string, body: PackedBody): Promise<string | undefined | 'busy'>
  readonly pool: FairPool
  /** Bodies with the key inside. */
  readonly anonymousPool: FairPool
  close(): Promise<void>
}

type Piece = Exclude<ThreadResponse, { failed: Error }>
type Waiting = { resolve: (answer: Piece) => void; reject: (error: Error) => void }

/**
 * Opens bodies in a separate thread, so that a flood uses neither the CPU of the event loop nor its garbage
 * collector. Accounts take turns by the cost of their bodies. The thread starts with the first body. If it
 * ends, the next body starts another one.
 */
export const createOpener = ({
  log,
  bounds = errorPools.errorOpening.bounds,
  limits = pieceLimits,
}: {
  log: Logger
  bounds?: PoolBounds
  /** For tests. */
  limits?: typeof pieceLimits
}): Opener => {
  const pool = createFairPool(bounds)
  const anonymousPool = createFairPool(errorPools.errorAnonymous.bounds)
  const waiting = new Map<number, Waiting>()
  let thread: Worker | null = null
  let lastNumber = 0
  /** Ended threads. Bodies in progress are lost with their thread. */
  let ended = 0
  let tooSlow: number | null = null

  const start = (): Worker => {
    const works = new Int32Array(new SharedArrayBuffer(2 * Int32Array.BYTES_PER_ELEMENT))
    const options = { name: 'error events', workerData: works }
    const started = new Worker(new URL('thread.ts', import.meta.url), options)
    const piece = (): number | null =>
      Atomics.load(works, requestAt) === 0 ? null : Atomics.load(works, pieceAt)
    const endWatch = limitCpu(started, { ...limits, work: piece }, () => {
      tooSlow = Atomics.load(works, requestAt)
      const about = { request: tooSlow, cpuMsMax: limits.cpuMsMax }
      log.error(about, 'a body of error events held its thread; the body is dropped')
      void started.terminate()
    })
    started.on('message', (answered: ThreadResponse) => {
      const waiter = waiting.get(answered.number)
      waiting.delete(answered.number)
      if ('failed' in answered) waiter?.reject(answered.failed)
      else waiter?.resolve(answered)
      if (waiting.size === 0) started.unref()
    })
    started.on('error', (error) => {
      log.error({ err: error }, 'the worker thread for error events failed; starting another')
    })
    started.on('exit', () => {
      endWatch()
      if (thread === started) thread = null
      ended += 1
      fail()
    })
    return started
  }
  const fail = (): void => {
    for (const [number, { reject }] of waiting) {
      waiting.delete(number)
      const isCause = number === tooSlow
      reject(
        isCause
          ? new BodyTooSlow('the body took too long to open')
          : new OpenerStopped('the thread that opens error events ended'),
      )
    }
  }
  const post = (request: ThreadRequest): Promise<Piece> =>
    new Promise((resolve, reject) => {
      waiting.set(request.number, { resolve, reject })
      thread ??= start()
      thread.ref()
      if (!('question' in request)) {
        thread.postMessage(request, [])
        return
      }
      // a copy, because the body may be part of a larger buffer; its memory is transferred to the thread
      const body = new Uint8Array(request.question.body)
      thread.postMessage({ ...request, question: { ...request.question, body } }, [body.buffer])
    })
  const turn = async (request: ThreadRequest): Promise<Piece | 'busy'> => {
    const bytes = 'question' in request ? request.question.body.length : 0
    const cost = bytes / bytesPerMs
    const place = await pool.take(request.owner, { cost: cost + 1, waitMsMax })
    if (typeof place === 'string') return 'busy'
    let ms = 1
    try {
      const answered = await post(request)
      ms = answered.ms
      return answered
    } finally {
      place.release(cost + ms)
    }
  }
  const nextNumber = (): number => {
    lastNumber += 1
    return lastNumber
  }
  return {
    open: async (owner, question) => {
      const number = nextNumber()
      const endedBefore = ended
      const first = await turn({ kind: 'open', number, owner, question })
      if (first === 'busy') return first
      let piece: Piece = first
      let { ms } = piece
      while ('more' in piece) {
        const next = await turn({ kind: 'more', number, owner })
        if (ended !== endedBefore) throw new OpenerStopped('the thread that opens error events ended')
        // counting the rest takes no time, and frees the body in the thread
        piece = next === 'busy' ? await post({ kind: 'rest', number, owner }) : next
        ms += piece.ms
      }
      return { opened: piece.answer as Opened, ms }
    },
    dsnOf: async (network, question) => {
      const place = await anonymousPool.take(network, { waitMsMax })
      if (typeof place === 'string') return 'busy'
      try {
        const piece = await turn({ kind: 'dsn', number: nextNumber(), owner: anonymous, question })
        if (piece === 'busy') return piece
        return 'answer' in piece ? (piece.answer as string | undefined) : undefined
      } finally {
        place.release()
      }
    },
    pool,
    anonymousPool,
    close: async () => {
      await thread?.terminate()
      fail()
    },
  }
}
