import type { ApiAnswer } from '@probe-mesh/contracts/api/client'
import type { ApplyCapabilities } from './capabilities.ts'
import { againMs, isLostConnection, retryAfterSecondsOf, tryingAgain } from './repeatable.ts'

/** The window of the limit is a minute, and a refused call may have to wait for a later window. */
const waitsMax = 5
const waitSecondsMax = 300

/**
 * A read that waits on a 429 for as long as `Retry-After` says, reporting each wait, and that is
 * retried after a lost connection: once, or for `lostMsMax`. Returns any other answer, a 429 after `waitsMax` waits, and
 * one that requires more than `waitSecondsMax`.
 * @throws what the call throws
 */
export const readWithRetry = async <T>(
  { pause, report }: Pick<ApplyCapabilities, 'pause' | 'report'>,
  read: () => Promise<ApiAnswer<T>>,
  lostMsMax = againMs,
): Promise<ApiAnswer<T>> => {
  let lost = 0
  for (let waits = 0; ;) {
    const answer = await read().catch((error: unknown) => {
      if (lost * againMs >= lostMsMax || !isLostConnection(error)) throw error
      return null
    })
    if (answer === null) {
      if (lost === 0) report(lostMsMax > againMs ? tryingAgain : 'The connection was lost; retrying once.')
      lost += 1
      await pause(againMs)
      continue
    }
    if (answer.ok || answer.problem.status !== 429) return answer
    const seconds = retryAfterSecondsOf(answer.headers)
    if (waits === waitsMax || seconds === null || seconds > waitSecondsMax) return answer
    waits += 1
    report(`The read rate limit is reached (${answer.problem.code}): waiting ${seconds} s.`)
    await pause(seconds * 1000)
  }
}
