import { Worker } from 'node:worker_threads'
import { errorPools } from '@probe-mesh/contracts/error-tracking/error-pools'
import { createFairPool } from '@probe-mesh/runtime/fair-pool'
import type { FairPool, PoolBounds } from '@probe-mesh/runtime/fair-pool'
import type { Logger } from 'pino'
import type { Opened, OpenQuestion, PackedBody } from './open-body.ts'

/** `more`: the next piece of a body; `rest`: what is left of it is only counted. */
export type ThreadQuestion = { number: number; owner: string } & (
  | { kind: 'dsn'; question: PackedBody }
  | { kind: 'open'; question: OpenQuestion }
  | { kind: 'more' | 'rest' }
)
/** `ms`: how long the piece took. */
export type ThreadAnswer = { number: number; ms: number } & (
  | { answer: Opened | string | undefined }
  | { more: true }
  | { failed: Error }
)

/** Longer than this no client waits for its turn. */
const waitMsMax = 10_000
/** A byte costs time and memory before anything is known of it: so many count as a millisecond of the thread. */
const bytesPerMs = 50_000
/** Stands for the account where it is not known. */
const anonymous = 'anonymous'

/** The thread ended with questions open; whoever asked may ask again. */
export class OpenerAway extends Error {
  override readonly name = 'OpenerAway'
}

export type Opener = {
  /**
   * As `openBody`, a piece at a time, in turns with the bodies of other accounts.
   * @param owner an account's id
   * @returns how long the thread was busy with it, too; `busy` where the account, or all, have too much waiting
   * @throws OpenerAway, or what a bug threw there
   */
  open(owner: string, question: OpenQuestion): Promise<{ opened: Opened; ms: number } | 'busy'>
  /**
   * As `dsnOf`. The account is not known yet: all such bodies together have the share of one account, by turns of
   * their networks. @throws OpenerAway
   */
  dsnOf(network: string, body: PackedBody): Promise<string | undefined | 'busy'>
  readonly pool: FairPool
  /** Bodies that name their key inside. */
  readonly anonymousPool: FairPool
  close(): Promise<void>
}

type Piece = Exclude<ThreadAnswer, { failed: Error }>
type Waiting = { resolve: (answer: Piece) => void; reject: (error: Error) => void }
type Asked = { number: number; owner: string } & (
  | { kind: 'dsn'; question: PackedBody }
  | { kind: 'open'; question: OpenQuestion }
  | { kind: 'more' | 'rest' }
)

/**
 * Opens bodies in a thread of its own, so that a flood of them holds up nobody else in the process:
 * neither their CPU nor the memory that they leave behind is the event loop's. Accounts take turns, by what their
 * bodies cost. The thread starts with the first body, and anew after it ended.
 */
export const createOpener = ({
  log,
  bounds = errorPools.errorOpening.bounds,
}: {
  log: Logger
  bounds?: PoolBounds
}): Opener => {
  const pool = createFairPool(bounds)
  const anonymousPool = createFairPool(errorPools.errorAnonymous.bounds)
  const waiting = new Map<number, Waiting>()
  let thread: Worker | null = null
  let lastNumber = 0
  /** Threads that ended: what they had of a body is gone. */
  let ended = 0

  const start = (): Worker => {
    const started = new Worker(new URL('thread.ts', import.meta.url), { name: 'error events' })
    started.on('message', (answered: ThreadAnswer) => {
      const asked = waiting.get(answered.number)
      waiting.delete(answered.number)
      if ('failed' in answered) asked?.reject(answered.failed)
      else asked?.resolve(answered)
      if (waiting.size === 0) started.unref()
    })
    started.on('error', (error) => {
      log.error({ err: error }, 'the worker thread for error events failed; starting another')
    })
    started.on('exit', () => {
      if (thread === started) thread = null
      ended += 1
      fail()
    })
    return started
  }
  const fail = (): void => {
    for (const [number, { reject }] of waiting) {
      waiting.delete(number)
      reject(new OpenerAway('the thread that opens error events ended'))
    }
  }
  const post = (asked: Asked): Promise<Piece> =>
    new Promise((resolve, reject) => {
      waiting.set(asked.number, { resolve, reject })
      thread ??= start()
      thread.ref()
      if (!('question' in asked)) {
        thread.postMessage(asked, [])
        return
      }
      // memory of its own, which changes its thread; what came may be a part of more
      const body = new Uint8Array(asked.question.body)
      thread.postMessage({ ...asked, question: { ...asked.question, body } }, [body.buffer])
    })
  const turn = async (asked: Asked): Promise<Piece | 'busy'> => {
    const bytes = 'question' in asked ? asked.question.body.length : 0
    const cost = bytes / bytesPerMs
    const place = await pool.take(asked.owner, { cost: cost + 1, waitMsMax })
    if (typeof place === 'string') return 'busy'
    let ms = 1
    try {
      const answered = await post(asked)
      ms = answered.ms
      return answered
    } finally {
      place.release(cost + ms)
    }
  }
  const numbered = (): number => {
    lastNumber += 1
    return lastNumber
  }
  return {
    open: async (owner, question) => {
      const number = numbered()
      const since = ended
      const first = await turn({ kind: 'open', number, owner, question })
      if (first === 'busy') return first
      let piece: Piece = first
      let { ms } = piece
      while ('more' in piece) {
        const next = await turn({ kind: 'more', number, owner })
        if (ended !== since) throw new OpenerAway('the thread that opens error events ended')
        // what is left is counted, which takes no time: it may not stay in the thread for ever
        piece = next === 'busy' ? await post({ kind: 'rest', number, owner }) : next
        ms += piece.ms
      }
      return { opened: piece.answer as Opened, ms }
    },
    dsnOf: async (network, question) => {
      const place = await anonymousPool.take(network, { waitMsMax })
      if (typeof place === 'string') return 'busy'
      try {
        const piece = await turn({ kind: 'dsn', number: numbered(), owner: anonymous, question })
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
