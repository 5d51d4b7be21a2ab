import type { Logger } from 'pino'
import type { CheckIn } from '../events/envelope/read-check-in.ts'

/**
 * What becomes of a check-in. The control plane passes this in, so that error tracking knows nothing of heartbeats.
 * `unknown`: no heartbeat of the account has the slug. `ambiguous`: several have it. `limited`, `full`: retry later.
 */
export type CheckIns = {
  take(accountId: string, checkIn: CheckIn, network: string): Promise<CheckInAnswer>
}
type CheckInAnswer = 'recorded' | 'unknown' | 'ambiguous' | 'limited' | 'full'

type Refused = { status: 400 | 404 | 409 | 429 | 503; problem: string }

/**
 * Passes the check-ins of a body on, in their order.
 * @returns how many were refused, and the first refusal; null: all were recorded
 */
export const takeCheckIns = async (
  { checkIns, log }: { checkIns: CheckIns; log: Logger },
  accountId: string,
  found: readonly (CheckIn | { problem: string })[],
  network: string,
): Promise<{ refused: number; first: Refused | null }> => {
  let [refused, first]: [number, Refused | null] = [0, null]
  for (const each of found) {
    if ('problem' in each) {
      refused += 1
      first ??= { status: 400, problem: each.problem }
      continue
    }
    const answer = await checkIns.take(accountId, each, network).catch((error: unknown): CheckInAnswer => {
      log.warn({ err: error }, 'a check-in could not be recorded')
      return 'full'
    })
    if (answer !== 'recorded') refused += 1
    first ??= refusedAs(answer, each.slug)
  }
  return { refused, first }
}

const refusedAs = (answer: CheckInAnswer, slug: string): Refused | null => {
  switch (answer) {
    case 'recorded':
      return null
    case 'unknown':
      return { status: 404, problem: `check_in: no heartbeat of this account has the slug ${slug}` }
    case 'ambiguous':
      return { status: 409, problem: `check_in: several heartbeats of this account have the slug ${slug}` }
    case 'limited':
      return { status: 429, problem: `check_in: too many check-ins of ${slug} at once` }
    case 'full':
      return { status: 503, problem: 'temporarily unavailable; retry later' }
    default:
      return answer satisfies never
  }
}
