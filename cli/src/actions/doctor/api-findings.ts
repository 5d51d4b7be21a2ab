import { Problem } from '@probe-mesh/contracts/schema/refusal'
import { connectionFailure } from '../../api/connection-failure.ts'
import { boundedFetch } from '../../api/open-api.ts'
import { duration } from '../../show/measures.ts'
import type { Context } from '../../terminal/context.ts'
import { failuresToFindings, type Finding } from './findings.ts'

/** Larger differences make ages and waits visibly wrong. */
const skewSecondsMax = 5
export const doctorAnswerMsMax = 10_000

/**
 * Whether the API answers, and whether its clock agrees with ours. Requests the account without a
 * key: only the API refuses that with SV-1001.
 */
export const apiFindings = async (
  context: Pick<Context, 'fetch' | 'signal' | 'now'>,
  apiUrl: string,
): Promise<{ findings: Finding[]; isApi: boolean }> => {
  const { now } = context
  const sentAtMs = now()
  try {
    const response = await boundedFetch(context, doctorAnswerMsMax)(`${apiUrl}/me`, {
      headers: { accept: 'application/json' },
      redirect: 'manual',
    })
    const receivedAtMs = now()
    const problem = Problem.safeParse(jsonOf(await response.text()))
    const isApi = problem.success && problem.data.code === 'SV-1001'
    const found = isApi ? answers(receivedAtMs - sentAtMs) : notTheApi(apiUrl, response.status)
    // a proxy's clock proves nothing about the API's clock
    const clock = isApi ? clockFindings(response.headers, (sentAtMs + receivedAtMs) / 2) : []
    return { findings: [found, ...clock], isApi }
  } catch (error) {
    return { findings: failuresToFindings('api', [unreachable(error, apiUrl)]), isApi: false }
  }
}

const answers = (tookMs: number): Finding => ({
  level: 'ok',
  topic: 'api',
  message: `answered in ${tookMs} ms`,
})

const notTheApi = (apiUrl: string, status: number): Finding => ({
  level: 'fail',
  topic: 'api',
  message: `${apiUrl} answered with status ${status}, but it is not the API.`,
  next: 'Use the root URL of the API, which ends in /v1.',
})

/** Drops the advice to run doctor. */
const unreachable = (error: unknown, apiUrl: string) => {
  const failure = connectionFailure(error, apiUrl)
  const hint =
    'Set SERVICE_API_URL or --api-url to the root URL of the API. `npm start` in the repository starts an API on this machine.'
  return { message: failure.message, hint }
}

/** @param ourMs our clock in the middle of the exchange */
const clockFindings = (headers: Headers, ourMs: number): Finding[] => {
  const theirMs = Date.parse(headers.get('date') ?? '')
  if (Number.isNaN(theirMs)) return []
  // the header has whole seconds, rounded down
  const ahead = Math.round((ourMs - (theirMs + 500)) / 1000)
  const off = Math.abs(ahead)
  if (off <= skewSecondsMax) return [{ level: 'ok', topic: 'clock', message: 'agrees with the API' }]
  return [
    {
      level: 'warn',
      topic: 'clock',
      message: `This machine is ${duration(off)} ${ahead > 0 ? 'ahead of' : 'behind'} the API. The ages shown are wrong by that much.`,
      next: 'Synchronize the clock by NTP, here or on the API server.',
    },
  ]
}

const jsonOf = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}
