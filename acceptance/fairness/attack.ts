import { runLoop } from '@probe-mesh/runtime/loop'
import { retryAfterMs } from '@probe-mesh/runtime/retry-after'
import type { Person } from './person.ts'
import type { Sent } from './send.ts'
import type { Stage } from './stage.ts'

export type Attack = {
  /** Whose row of the table of harms this is. */
  name: string
  /** Goes on until the signal aborts. @throws where the attack itself could not be made */
  run(capabilities: {
    stage: Stage
    people: readonly Person[]
    signal: AbortSignal
    /** Called when the attack is under way. */
    begun: () => void
  }): Promise<void>
}

const againMs = 50
/** Who is refused for long asks again before the time that it was told. */
const againMsMax = 1_000

/**
 * Does one thing over and over, on `lines` lines at once, until the signal aborts. Who is refused tries again as
 * `Retry-After` says, or after a second where that is longer: what is shown is what accounts do with what they are
 * given, and not how many calls a second a machine refuses.
 */
export const keepOn = async (
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

/** One of a list, over and over. */
export const turnOf = <T>(list: readonly T[], number: number): T => {
  const one = list[number % list.length]
  if (one === undefined) throw new Error('the list of turns is empty')
  return one
}
