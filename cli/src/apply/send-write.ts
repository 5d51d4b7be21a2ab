import type { ApiAnswer } from '@probe-mesh/contracts/api/client'
import type { Write } from '../plan/writes.ts'
import type { ApplyCapabilities } from './capabilities.ts'
import { isLostConnection } from './lost-connection.ts'
import { retryAfterSecondsOf } from './retry-after.ts'

const againMs = 1_000
/** How often a repeated call asks whether the first one has ended, which works 15 s at most. */
const inFlightAsksMax = 20
const inFlightWaitSecondsMax = 5

/**
 * One write, sent once more where its connection was lost. A repeated POST is the same one by its
 * `Idempotency-Key`, a PATCH replaces the same again, and of a repeated DELETE "not found" says that
 * the first one was carried out.
 * @throws what the second call throws, or the first where it is no lost connection
 */
export const sendWrite = async (
  capabilities: Pick<ApplyCapabilities, 'client' | 'pause' | 'say'>,
  write: Write,
): Promise<ApiAnswer<unknown>> => {
  const { pause, say } = capabilities
  try {
    return await call(capabilities, write)
  } catch (error) {
    if (!isLostConnection(error)) throw error
    say('The connection was lost: sending the same request once more.')
    await pause(againMs)
    return await callAgain(capabilities, write)
  }
}

const callAgain = async (
  capabilities: Pick<ApplyCapabilities, 'client' | 'pause'>,
  write: Write,
): Promise<ApiAnswer<unknown>> => {
  for (let asks = 1; ; asks++) {
    const answer = await call(capabilities, write)
    if (answer.ok) return answer
    const { headers, problem } = answer
    if (write.route === 'deleteCheck' && problem.code === 'SV-3001') {
      return { ok: true, value: { id: write.input.params.id, deleted: true }, headers }
    }
    // the first request is still being worked on: its answer is given to who asks again
    const seconds = problem.code === 'SV-3002' ? retryAfterSecondsOf(headers) : null
    if (seconds === null || asks === inFlightAsksMax) return answer
    await capabilities.pause(Math.min(seconds, inFlightWaitSecondsMax) * 1000)
  }
}

const call = (
  { client }: Pick<ApplyCapabilities, 'client'>,
  write: Write,
): Promise<ApiAnswer<unknown>> => {
  switch (write.route) {
    case 'deleteCheck':
      return client.call(write.route, write.input)
    case 'createCheck':
      return client.call(write.route, write.input)
    case 'updateCheckRegions':
      return client.call(write.route, write.input)
    case 'updateCheckAssertions':
      return client.call(write.route, write.input)
    default:
      return write satisfies never
  }
}
