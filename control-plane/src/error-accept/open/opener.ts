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
/** Bodies whose events are only counted go to the thread together: who is refused is in no hurry. */
const gatherMs = 10

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
  let outgoing: ThreadQuestion[] = []
  let thread: Worker | null = null
  let number = 0

  const start = (): Worker => {
    const started = new Worker(new URL('thread.ts', import.meta.url), { name: 'error events' })
    started.on('message', (answers: ThreadAnswer[]) => {
      for (const answered of answers) {
        const asked = waiting.get(answered.number)
        waiting.delete(answered.number)
        if ('failed' in answered) asked?.reject(answered.failed)
        else asked?.resolve(answered.answer)
      }
      if (waiting.size === 0) started.unref()
    })
    started.on('error', (error) => {
      log.error({ err: error }, 'the thread that opens error events failed; another one starts')
    })
    started.on('exit', () => {
      if (thread === started) thread = null
      giveUp()
    })
    return started
  }
  const giveUp = (): void => {
    outgoing = []
    for (const [number, { reject }] of waiting) {
      waiting.delete(number)
      reject(new OpenerAway('the thread that opens error events ended'))
    }
  }
  const send = (): void => {
    if (outgoing.length === 0) return
    const questions = outgoing
    outgoing = []
    thread ??= start()
    thread.ref()
    thread.postMessage(
      questions,
      questions.map(({ question }) => question.body.buffer as ArrayBuffer),
    )
  }
  const ask = <Answer>(
    asked: Pick<ThreadQuestion, 'kind'> & { question: PackedBody | OpenQuestion },
    isPatient: boolean,
  ): Promise<Answer> =>
    new Promise((resolve, reject) => {
      if (waiting.size >= waitingMax) {
        reject(new OpenerAway('too many error events are being opened'))
        return
      }
      number += 1
      waiting.set(number, { resolve: resolve as Waiting['resolve'], reject })
      // memory of its own, which changes its thread; what came may be a part of more
      const body = new Uint8Array(asked.question.body)
      outgoing.push({ ...asked, number, question: { ...asked.question, body } } as ThreadQuestion)
      if (!isPatient) send()
      else if (outgoing.length === 1) setTimeout(send, gatherMs)
    })
  return {
    open: (question) => ask({ kind: 'open', question }, question.countsOnly),
    dsnOf: (question) => ask({ kind: 'dsn', question }, false),
    close: async () => {
      await thread?.terminate()
      giveUp()
    },
  }
}
