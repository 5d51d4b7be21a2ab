import { parentPort, Worker } from 'node:worker_threads'
import type { StreamMessage } from '@probe-mesh/bus/port'
import { limitCpu } from '@probe-mesh/runtime/limit-cpu'
import type { Logger } from 'pino'
import type { SetAside } from '../poison.ts'

/** A request to the thread: to read these messages in order. */
export type FirstReadQuestion = {
  messages: readonly StreamMessage[]
  /**
   * The number of messages read, -1 before the start. In shared memory, because a thread that crashes may
   * lose its last messages.
   */
  read: Int32Array
}

export type FirstReader = {
  /**
   * Reads messages in a thread. @returns those that ended it, by an error, by memory or by time
   * @throws if the thread does not start
   */
  fatalOf(messages: readonly StreamMessage[]): Promise<StreamMessage[]>
  close(): Promise<void>
}

/**
 * A message is at most a megabyte; reading it takes less than a tenth of this memory, and a hundredth of the
 * time.
 */
const memoryMegabytesMax = 512
/** CPU time of one message, ms: a thread is not blamed for a busy or a suspended machine. How often it is read, ms. */
const cpuMsMaxDefault = 30_000
const watchMs = 100
const ends = ['message', 'error', 'exit'] as const
/** Waiting messages are read soon after a start; then the thread's memory is freed. */
const idleMsMax = 30_000

/**
 * Starts its thread on the first request, and handles one request at a time.
 * @param thread the module that reads messages there; it calls `answerFirstReads`
 */
export const createFirstReader = (
  thread: URL,
  { cpuMsMax = cpuMsMaxDefault }: { cpuMsMax?: number } = {},
): FirstReader => {
  let worker: Worker | null = null
  let before: Promise<unknown> = Promise.resolve()
  let closed = false
  let idle: NodeJS.Timeout | undefined

  const start = (): Worker => {
    const resourceLimits = { maxOldGenerationSizeMb: memoryMegabytesMax }
    const started = new Worker(thread, { name: 'first reader', resourceLimits })
    // an error of an idle thread has no other listener
    started.on('error', () => undefined)
    started.once('exit', () => {
      if (worker === started) worker = null
    })
    return started
  }
  const end = async (): Promise<void> => {
    const ended = worker
    worker = null
    await ended?.terminate()
  }
  /** @returns how many messages were read before the thread ended */
  const readWhile = (messages: readonly StreamMessage[]): Promise<number> => {
    const read = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT))
    const question: FirstReadQuestion = { messages, read }
    clearTimeout(idle)
    Atomics.store(read, 0, -1)
    const asked = (worker ??= start())
    asked.ref()
    return new Promise((resolve, reject) => {
      const settle = (): void => {
        endWatch()
        for (const event of ends) asked.off(event, settle)
        asked.unref()
        idle = setTimeout(() => void end(), idleMsMax).unref()
        const count = Atomics.load(read, 0)
        if (count >= 0) resolve(count)
        else reject(new Error('the thread of the first read did not start'))
      }
      const endWatch = limitCpu(asked, { cpuMsMax, watchMs, work: () => Atomics.load(read, 0) }, settle)
      for (const event of ends) asked.once(event, settle)
      asked.postMessage(question, [])
    })
  }
  const fatalOf: FirstReader['fatalOf'] = async (messages) => {
    const fatal: StreamMessage[] = []
    let rest = messages
    while (rest.length > 0) {
      const read = await readWhile(rest)
      const culprit = rest[read]
      if (culprit === undefined || closed) break
      await end()
      fatal.push(culprit)
      rest = rest.slice(read + 1)
    }
    return fatal
  }
  return {
    fatalOf: (messages) => {
      const answered = before.then(() => fatalOf(messages))
      before = answered.catch(() => undefined)
      return answered
    },
    close: async () => {
      closed = true
      clearTimeout(idle)
      await end()
    },
  }
}

/** Reads readings in a thread first. */
export const createReadingsReader = (): FirstReader =>
  createFirstReader(new URL('thread.ts', import.meta.url))

/**
 * The main function of the thread of the first read: it reads messages before the process does, and a crash ends only the
 * thread.
 */
export const answerFirstReads = (read: (message: StreamMessage) => void): void => {
  parentPort?.on('message', (question: FirstReadQuestion) => {
    Atomics.store(question.read, 0, 0)
    for (const message of question.messages) {
      read(message)
      Atomics.add(question.read, 0, 1)
    }
    parentPort?.postMessage('read', [])
  })
}

/** How far the clocks of a stream and a control plane may differ. */
const skewMs = 60_000

/** Tries messages before they are read. */
export type CarefulReading = (messages: readonly StreamMessage[]) => Promise<void>

/**
 * After the owner of a partition died, its waiting messages are first read in a thread, and a message that
 * crashes the thread is set aside: it stops no second process, and a process killed for another reason loses
 * no message. A partition that was handed over in order costs nothing.
 */
export const readCarefully = (capabilities: {
  lease: { readonly partition: number; readonly afterDeath?: boolean }
  kind: 'readings' | 'errors'
  firstReader: FirstReader
  setAside: SetAside
  log: Pick<Logger, 'error'>
  now: () => number
}): CarefulReading => {
  const { lease, kind, firstReader, setAside, log, now } = capabilities
  const { partition } = lease
  const takenAtMs = now()
  let isCareful = lease.afterDeath === true
  return async (messages) => {
    const newest = messages.at(-1)
    isCareful &&= newest !== undefined && newest.storedAt <= takenAtMs + skewMs
    if (!isCareful) return
    const unknown = messages.filter((message) => !setAside.has(message))
    try {
      for (const fatal of await firstReader.fatalOf(unknown)) {
        setAside.add(fatal)
        const { sequence } = fatal
        log.error({ partition, sequence, kind }, 'a message that crashes its reader is set aside')
      }
    } catch (error) {
      // reading without it is better than not reading
      log.error(
        { err: error, partition, kind },
        'the first read failed; waiting messages are read without it',
      )
      isCareful = false
    }
  }
}
