import type { AnswerHeaders } from '@probe-mesh/contracts/api/route-client'
import type { ApplyCapabilities } from './capabilities.ts'
import { writesResetSecondsOf } from './retry-after.ts'

/** Longer than any window of the write budget; a header that says more is not believed. */
const waitSecondsMax = 120

/** Keeps writes within the budget that `RateLimit` tells of. */
export type Pace = {
  /** Resolves when a write may be sent. */
  ready(): Promise<void>
  /** Notes what the answer to a write says of the budget. */
  note(headers: AnswerHeaders): void
}

/** "Writes of an `apply` pace themselves by `RateLimit`": none is sent while no place is left. */
export const createPace = ({
  now,
  pause,
  say,
}: Pick<ApplyCapabilities, 'now' | 'pause' | 'say'>): Pace => {
  let nextAtMs: number | null = null
  return {
    ready: async () => {
      if (nextAtMs === null) return
      const waitMs = nextAtMs - now()
      nextAtMs = null
      if (waitMs <= 0) return
      say(`The write budget is used up: waiting ${Math.ceil(waitMs / 1000)} s.`)
      await pause(waitMs)
    },
    note: (headers) => {
      const seconds = writesResetSecondsOf(headers)
      nextAtMs = seconds === null ? null : now() + Math.min(seconds, waitSecondsMax) * 1000
    },
  }
}
