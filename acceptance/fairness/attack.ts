import { runLoop } from '@probe-mesh/runtime/loop'
import { retryAfterMs } from '@probe-mesh/runtime/retry-after'
import type { Person } from './person.ts'
import type { Sent } from './send.ts'
import type { Stage } from './stage.ts'

export type Attack = {
  /** Its row in the table of harms. */
  name: string
  /** Runs until the signal aborts. @throws if the attack itself fails */
  run(capabilities: {
    stage: Stage
    people: readonly Person[]
    signal: AbortSignal
    /** Called when the attack has started. */
    begun: () => void
  }): Promise<void>
}

const againMs = 50
/** A refused line retries after this time even if Retry-After is longer. */
const againMsMax = 1_000

/**
 * Repeats work on `lines` parallel lines until the signal aborts. A refused line waits for `Retry-After`, at
 * most a second: the attack shows the effect of allowed work, not the rate of refusals.
 */
export const repeat = async (
  lines: number,
  signal: AbortSignal,
  work: (line: number) => Promise<Sent | void>,
): Promise<void> => {
  const line = async (number: number): Promise<void> => {
    let waitMs = againMs
    await runLoop({
      signal,
      everyMs: () => waitMs,
      round: async () => {
        const answer = await work(number).catch(() => null)
        if (typeof answer !== 'object' || (answer !== null && answer.status < 400)) return 'again'
        const requiredMs = retryAfterMs(answer?.headers['retry-after'], Date.now()) ?? 0
        waitMs = Math.min(Math.max(againMs, requiredMs), againMsMax)
        return
      },
      onError: (error) => {
        throw error
      },
    })
  }
  await Promise.all(Array.from({ length: lines }, (_, number) => line(number)))
}

/** Picks elements of a list in turn. */
export const turnOf = <T>(list: readonly T[], number: number): T => {
  const one = list[number % list.length]
  if (one === undefined) throw new Error('the list of turns is empty')
  return one
}
