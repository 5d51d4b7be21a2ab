import { Problem } from '@probe-mesh/contracts/schema/refusal'
import { boundedFetch } from '../../api/open-api.ts'
import { whyUnanswered } from '../../api/why-unanswered.ts'
import type { Finding } from '../../show/findings.ts'
import { duration } from '../../show/measures.ts'
import type { World } from '../../terminal/world.ts'
import { failuresToFindings } from './failure-findings.ts'

/** Ages and waits are wrong by as much. */
const skewSecondsMax = 5
export const doctorAnswerMsMax = 10_000

/**
 * Whether the API answers there, and whether its clock and ours agree. It is asked for the account
 * without a key: only the API refuses that with SV-1001.
 */
export const apiFindings = async (
  world: Pick<World, 'fetch' | 'signal' | 'now'>,
  apiUrl: string,
): Promise<{ findings: Finding[]; isThere: boolean }> => {
  const { now } = world
  const sentAtMs = now()
  try {
    const response = await boundedFetch(world, doctorAnswerMsMax)(`${apiUrl}/me`, {
      headers: { accept: 'application/json' },
      redirect: 'manual',
    })
    const receivedAtMs = now()
    const problem = Problem.safeParse(jsonOf(await response.text()))
    const isThere = problem.success && problem.data.code === 'SV-1001'
    const found = isThere ? answers(receivedAtMs - sentAtMs) : stranger(apiUrl, response.status)
    // a proxy's clock may be right where the API's is not
    const clock = isThere ? clockFindings(response.headers, (sentAtMs + receivedAtMs) / 2) : []
    return { findings: [found, ...clock], isThere }
  } catch (error) {
    return { findings: failuresToFindings('api', [withoutDoctor(error, apiUrl)]), isThere: false }
  }
}

const answers = (tookMs: number): Finding => ({
  level: 'ok',
  topic: 'api',
  message: `answers, in ${tookMs} ms`,
})

const stranger = (apiUrl: string, status: number): Finding => ({
  level: 'fail',
  topic: 'api',
  message: `Something answers at ${apiUrl} with status ${status}, and it is not the API.`,
  next: 'The address is the root of the API, which ends in /v1.',
})

/** Whoever reads this has found the doctor. */
const withoutDoctor = (error: unknown, apiUrl: string) => {
  const failure = whyUnanswered(error, apiUrl)
  const hint =
    'Set SERVICE_API_URL or --api-url to where the API is; on this machine `npm start` of the repository starts one.'
  return { message: failure.message, hint }
}

/** @param ourMs our clock in the middle of the exchange */
const clockFindings = (headers: Headers, ourMs: number): Finding[] => {
  const theirMs = Date.parse(headers.get('date') ?? '')
  if (Number.isNaN(theirMs)) return []
  // the header has whole seconds, cut off
  const ahead = Math.round((ourMs - (theirMs + 500)) / 1000)
  const off = Math.abs(ahead)
  if (off <= skewSecondsMax)
    return [{ level: 'ok', topic: 'clock', message: 'agrees with the API' }]
  return [
    {
      level: 'warn',
      topic: 'clock',
      message: `This machine is ${duration(off)} ${ahead > 0 ? 'ahead of' : 'behind'} the API: ages shown are wrong by that.`,
      next: 'Set the clock by NTP, here or where the API runs.',
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
