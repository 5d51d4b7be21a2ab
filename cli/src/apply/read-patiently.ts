import type { ApiAnswer } from '@probe-mesh/contracts/api/client'
import type { ApplyCapabilities } from './capabilities.ts'
import { isLostConnection } from './lost-connection.ts'
import { retryAfterSecondsOf } from './retry-after.ts'

/** A budget's window is a minute, and a refused call may be told a place in a later one. */
const waitsMax = 5
const waitSecondsMax = 300
const againMs = 1_000

/**
 * A read that waits a 429 out for as long as `Retry-After` says, telling so each time, and that is
 * sent once more where its connection was lost. Every other answer is returned as it is, and so is
 * a 429 after `waitsMax` waits, or one that asks for more than `waitSecondsMax`.
 * @throws what the call throws
 */
export const readPatiently = async <T>(
  { pause, say }: Pick<ApplyCapabilities, 'pause' | 'say'>,
  read: () => Promise<ApiAnswer<T>>,
): Promise<ApiAnswer<T>> => {
  let lost = 0
  for (let waits = 0; ;) {
    const answer = await read().catch((error: unknown) => {
      if (lost > 0 || !isLostConnection(error)) throw error
      return null
    })
    if (answer === null) {
      lost += 1
      say('The connection was lost: asking once more.')
      await pause(againMs)
      continue
    }
    if (answer.ok || answer.problem.status !== 429) return answer
    const seconds = retryAfterSecondsOf(answer.headers)
    if (waits === waitsMax || seconds === null || seconds > waitSecondsMax) return answer
    waits += 1
    say(`The read budget is used up (${answer.problem.code}): waiting ${seconds} s.`)
    await pause(seconds * 1000)
  }
}
