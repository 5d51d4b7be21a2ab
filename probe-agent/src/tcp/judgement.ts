import { limits } from '@probe-mesh/contracts/limits'
import type { Judgement } from '../judge/judge-attempt.ts'
import type { Failure } from '../request/outcome.ts'

/** The verdict on an attempt that failed, or did not: what is our fault is unmeasured, never down. */
export const judgementOf = (failure: Failure | null): Judgement => {
  if (failure === null) return { verdict: 'up', fault: 'none', cause: 'ok', reason: null }
  const { cause, fault } = failure
  const reason = failure.reason.slice(0, limits.reasonCharactersMax)
  return { verdict: fault === 'probe' ? 'unmeasured' : 'down', fault, cause, reason }
}
