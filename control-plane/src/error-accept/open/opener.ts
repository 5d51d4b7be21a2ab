import { Worker } from 'node:worker_threads'
import type { Logger } from 'pino'
import type { Opened, OpenQuestion, PackedBody } from './open-body.ts'

export type ThreadQuestion = { number: number } & (
  | { kind: 'dsn'; question: PackedBody }
  | { kind: 'open'; question: OpenQuestion }
)
export type ThreadAnswer =
  | { number: number; answer: Opened | string | undefined }
  | { number: number; failed: Error }

/** Bodies that wait for the thread; those of the door's own bound, and some that say their key inside. */
const waitingMax = 1_000

/** The thread ended with questions open, or too many are open; whoever asked may ask again. */
export class OpenerAway extends Error {
  override readonly name = 'OpenerAway'
}

export type Opener = {
  /** As `openBody`. @throws OpenerAway, or what a bug threw there */
  open(question: OpenQuestion): Promise<Opened>
  /** As `dsnOf`. @throws OpenerAway */
  dsnOf(body: PackedBody): Promise<string | undefined>
  close(): Promise<void>
}

type Waiting = {
  resolve: (answer: Opened | string | undefined) => void
  reject: (error: Error) => void
}

/**
 * Opens bodies in a thread of its own, so that a flood of them holds up nobody else in the process:
 * neither their CPU nor the memory that they leave behind is the event loop's. The thread starts with
 * the first body, and anew after it ended.
 */
export const createOpener = ({ log }: { log: Logger }): Opener => {
  const waiting = new Map<number, Waiting>()
  let thread: Worker | null = null
  let number = 0

  const start = (): Worker => {
    const started = new Worker(new URL('thread.ts', import.meta.url), { name: 'error events' })
    started.on('message', (answered: ThreadAnswer) => {
      const asked = waiting.get(answered.number)
      waiting.delete(answered.number)
      if (waiting.size === 0) started.unref()
      if ('failed' in answered) asked?.reject(answered.failed)
      else asked?.resolve(answered.answer)
    })
    started.on('error', (error) => {
      log.error({ err: error }, 'the thread that opens error events failed; another one starts')
    })
    started.on('exit', () => {
      if (thread === started) thread = null
      for (const [number, { reject }] of waiting) {
        waiting.delete(number)
        reject(new OpenerAway('the thread that opens error events ended'))
      }
    })
    return started
  }
  const ask = <Answer>(
    kind: ThreadQuestion['kind'],
    question: PackedBody | OpenQuestion,
  ): Promise<Answer> =>
    new Promise((resolve, reject) => {
      if (waiting.size >= waitingMax) {
        reject(new OpenerAway('too many error events are being opened'))
        return
      }
      thread ??= start()
      thread.ref()
      // memory of its own, which changes its thread; what came may be a part of more
      const body = new Uint8Array(question.body)
      number += 1
      waiting.set(number, { resolve: resolve as Waiting['resolve'], reject })
      thread.postMessage({ kind, number, question: { ...question, body } }, [body.buffer])
    })
  return {
    open: (question) => ask('open', question),
    dsnOf: (body) => ask('dsn', body),
    close: async () => {
      await thread?.terminate()
    },
  }
}
