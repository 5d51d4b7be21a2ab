import type { ApiAnswer } from '@probe-mesh/contracts/api/client'
import type { Write } from '../plan/writes.ts'
import type { ApplyCapabilities } from './capabilities.ts'
import { isLostConnection, retryAfterSecondsOf } from './repeatable.ts'

const againMs = 1_000
/** How often a repeated call polls for the first one, which takes at most 15 s. */
const inFlightAsksMax = 20
const inFlightWaitSecondsMax = 5

/**
 * One write, repeated once after a lost connection. A repeated POST is recognized by its
 * `Idempotency-Key`, a PATCH sets the same values again, and "not found" for a repeated DELETE
 * means that the first one was applied.
 * @throws what the second call throws, or the first if the connection was not lost
 */
export const sendWrite = async (
  capabilities: Pick<ApplyCapabilities, 'client' | 'pause' | 'report'>,
  write: Write,
): Promise<ApiAnswer<unknown>> => {
  const { pause, report } = capabilities
  try {
    return await call(capabilities, write)
  } catch (error) {
    if (!isLostConnection(error)) throw error
    report('The connection was lost; sending the same request again.')
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
    // the first request is still in progress: its answer is returned to the repeated one
    const seconds = problem.code === 'SV-3002' ? retryAfterSecondsOf(headers) : null
    if (seconds === null || asks === inFlightAsksMax) return answer
    await capabilities.pause(Math.min(seconds, inFlightWaitSecondsMax) * 1000)
  }
}

const call = ({ client }: Pick<ApplyCapabilities, 'client'>, write: Write): Promise<ApiAnswer<unknown>> => {
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
