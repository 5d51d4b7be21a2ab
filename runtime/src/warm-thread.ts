import { setPriority } from 'node:os'
import { parentPort, Worker, type Transferable } from 'node:worker_threads'
import { limitCpu } from './limit-cpu.ts'

/** The thread ended before it answered: by its limit of CPU time or memory, because it was closed, or by an error. */
export class ThreadEnded extends Error {
  override readonly name = 'ThreadEnded'
  readonly by: 'cpu' | 'memory' | 'close' | 'error'
  constructor(by: ThreadEnded['by'], cause?: unknown) {
    super(`the thread ended by ${by}`, { cause })
    this.by = by
  }
}

/** Answers questions in a thread, one at a time, in their order. */
export type WarmThread<Question, Answer> = {
  /** @throws ThreadEnded, or what the answering function threw */
  ask(question: Question, transfer?: readonly Transferable[]): Promise<Answer>
  close(): Promise<void>
}

export type ThreadLimits = {
  /** CPU time of the thread for one answer, ms. Neither its start nor a wait for a busy machine counts. */
  cpuMsMax: number
  megabytesMax: number
  /** Time without a question after which the thread ends, which frees its memory, ms. */
  idleMsMax?: number
}

type Said = 'ready' | { answer: unknown } | { failed: unknown }
type Asked<Question, Answer> = {
  question: Question
  transfer: readonly Transferable[]
  resolve: (answer: Answer) => void
  reject: (error: unknown) => void
}

const tenMinutesMs = 600_000
/** The nice value of a thread. */
const slowPriority = 10
/** How often the CPU time of a thread is read, ms. */
const watchMs = 50

/**
 * The thread starts with the first question and stays for the next ones. One that ends in the middle is replaced at
 * once, so that the next question does not wait for a start.
 * @param module calls `answerQuestions`
 */
export const createWarmThread = <Question, Answer>(
  module: URL,
  { cpuMsMax, megabytesMax, idleMsMax = tenMinutesMs }: ThreadLimits,
): WarmThread<Question, Answer> => {
  const waiting: Asked<Question, Answer>[] = []
  let [worker, asked, isReady, isClosed]: [Worker | null, Asked<Question, Answer> | null, boolean, boolean] =
    [null, null, false, false]
  let idle: NodeJS.Timeout | undefined
  let endWatch = (): void => undefined

  /** Ends the thread, and with it the answer that it works on. */
  const end = async (reason: ThreadEnded): Promise<void> => {
    // a thread that does not start would not start for the next question either, but it is tried once for each
    const [ended, lost] = [worker, asked ?? (isReady ? null : waiting.shift())]
    ;[worker, asked, isReady] = [null, null, false]
    endWatch()
    lost?.reject(reason)
    if (!isClosed && waiting.length > 0) next()
    await ended?.terminate()
  }
  const start = (): Worker => {
    const started = new Worker(module, { resourceLimits: { maxOldGenerationSizeMb: megabytesMax } })
    started.on('message', (said: Said) => {
      if (worker !== started) return
      if (said === 'ready') isReady = true
      else settle(said)
      next()
    })
    started.on('error', (cause: NodeJS.ErrnoException) => {
      if (worker === started)
        void end(new ThreadEnded(cause.code === 'ERR_WORKER_OUT_OF_MEMORY' ? 'memory' : 'error', cause))
    })
    started.on('exit', () => {
      if (worker === started) void end(new ThreadEnded('error'))
    })
    return started
  }
  const settle = (said: Exclude<Said, 'ready'>): void => {
    const answered = asked
    asked = null
    endWatch()
    if ('failed' in said) answered?.reject(said.failed)
    else answered?.resolve(said.answer as Answer)
  }
  const next = (): void => {
    clearTimeout(idle)
    worker ??= start()
    if (asked !== null || !isReady) return
    asked = waiting.shift() ?? null
    if (asked === null) {
      worker.unref()
      idle = setTimeout(() => void end(new ThreadEnded('close')), idleMsMax).unref()
      return
    }
    worker.ref()
    worker.postMessage(asked.question, asked.transfer)
    endWatch = limitCpu(
      worker,
      { cpuMsMax, watchMs, work: () => asked },
      () => void end(new ThreadEnded('cpu')),
    )
  }
  return {
    ask: (question, transfer = []) =>
      new Promise((resolve, reject) => {
        if (isClosed) return reject(new ThreadEnded('close'))
        waiting.push({ question, transfer, resolve, reject })
        next()
      }),
    close: async () => {
      isClosed = true
      clearTimeout(idle)
      for (const { reject } of waiting.splice(0)) reject(new ThreadEnded('close'))
      await end(new ThreadEnded('close'))
    },
  }
}

/**
 * What the thread of a module does.
 * @param answer what it throws fails one question only
 */
export const answerQuestions = <Question>(answer: (question: Question) => unknown): void => {
  // the loop that accounts share goes first; elsewhere than on Linux a thread has no priority of its own
  if (process.platform === 'linux') setPriority(slowPriority)
  const say = (said: Said): void => parentPort?.postMessage(said, [])
  parentPort?.on('message', (question: Question) => {
    try {
      say({ answer: answer(question) })
    } catch (error) {
      say({ failed: error })
    }
  })
  say('ready')
}
