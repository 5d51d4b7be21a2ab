import {
  estimateBounds,
  estimateCpuMsMax,
  estimateWaitMsMax,
} from '@probe-mesh/contracts/account/login-rules'
import { createFairPool, type FairPool } from '@probe-mesh/runtime/fair-pool'
import { createWarmThread, ThreadEnded } from '@probe-mesh/runtime/warm-thread'
import type { EstimateQuestion } from './estimate.ts'

/** Estimates the strength of passwords in a separate thread. */
export type PasswordEstimator = {
  /**
   * @param owner a network or an account; owners take turns
   * @returns the weakness, null for a strong password, or `busy` if too many wait or the thread ended
   */
  weaknessOf(owner: string, question: EstimateQuestion): Promise<{ weak: string | null } | 'busy'>
  readonly pool: FairPool
  close(): Promise<void>
}

const megabytesMax = 256

export const createPasswordEstimator = (cpuMsMax: number = estimateCpuMsMax): PasswordEstimator => {
  const pool = createFairPool(estimateBounds)
  const module = new URL('estimate-thread.ts', import.meta.url)
  const thread = createWarmThread<EstimateQuestion, string | null>(module, { cpuMsMax, megabytesMax })
  return {
    weaknessOf: async (owner, question) => {
      const place = await pool.take(owner, { waitMsMax: estimateWaitMsMax })
      if (typeof place === 'string') return 'busy'
      try {
        return { weak: await thread.ask(question) }
      } catch (error) {
        if (error instanceof ThreadEnded) return 'busy'
        throw error
      } finally {
        place.release()
      }
    },
    pool,
    close: thread.close,
  }
}
