import { Worker } from 'node:worker_threads'
import { createFairPool, type FairPool } from '@probe-mesh/runtime/fair-pool'
import { estimateBounds, estimateMsMax } from '@probe-mesh/contracts/account/login-rules'
import type { EstimateQuestion } from './estimate.ts'
import type { EstimateMessage } from './estimate-thread.ts'

/** Estimates the strength of passwords in a separate thread. */
export type PasswordEstimator = {
  /**
   * @param owner a network or an account; owners take turns
   * @returns the weakness, null for a strong password, or `busy` if too many wait
   */
  weaknessOf(owner: string, question: EstimateQuestion): Promise<{ weak: string | null } | 'busy'>
  readonly pool: FairPool
  close(): Promise<void>
}

/** The thread ends after this time without a question, to free its memory, ms. */
const idleMsMax = 60_000
const megabytesMax = 256

/** The thread starts with the first question after an end. It answers one question at a time. */
export const createPasswordEstimator = (msMax = estimateMsMax): PasswordEstimator => {
  const pool = createFairPool(estimateBounds)
  let thread: Worker | null = null
  let idle: NodeJS.Timeout | undefined

  const end = async (): Promise<void> => {
    const ended = thread
    thread = null
    await ended?.terminate()
  }
  const start = (): Worker => {
    const url = new URL('estimate-thread.ts', import.meta.url)
    const resourceLimits = { maxOldGenerationSizeMb: megabytesMax }
    const started = new Worker(url, { name: 'password estimates', resourceLimits })
    started.on('exit', () => {
      if (thread === started) thread = null
    })
    // the caller gets the error too; without a listener it would end the process
    started.on('error', () => {})
    return started
  }
  const ask = (question: EstimateQuestion): Promise<string | null> =>
    new Promise((resolve, reject) => {
      const asked = (thread ??= start())
      const settle = (work: () => void): void => {
        clearTimeout(timer)
        asked.off('message', onMessage)
        asked.off('error', onError)
        asked.off('exit', onExit)
        work()
      }
      // the limit starts with the estimate: a busy machine needs seconds to start the thread
      let timer: NodeJS.Timeout | undefined
      const onMessage = (message: EstimateMessage): void => {
        if (message === 'begun') timer = setTimeout(() => void end(), msMax)
        else settle(() => resolve(message.weak))
      }
      const onError = (cause: Error): void =>
        settle(() => reject(new Error('the estimate of a password failed', { cause })))
      const onExit = (): void => settle(() => reject(new Error('the thread for password estimates ended')))
      asked.on('message', onMessage)
      asked.on('error', onError)
      asked.on('exit', onExit)
      asked.postMessage(question, [])
    })

  return {
    weaknessOf: async (owner, question) => {
      const place = await pool.take(owner, { waitMsMax: msMax })
      if (typeof place === 'string') return 'busy'
      clearTimeout(idle)
      try {
        return { weak: await ask(question) }
      } finally {
        clearTimeout(idle)
        idle = setTimeout(() => void end(), idleMsMax)
        idle.unref()
        thread?.unref()
        place.release()
      }
    },
    pool,
    close: async () => {
      clearTimeout(idle)
      await end()
    },
  }
}
