import { durationText } from '../../request/failure.ts'
import type { Phase } from '../../request/failure.ts'
import type { Failure } from '../../request/outcome.ts'

/**
 * The journey as a whole took too long (S-411). Where the end came
 * while the probe's own resolver was waited for, it is no fault of the target.
 */
export const journeyDeadline = (phase: Phase, deadlineMs: number): Failure => {
  const reason = `the journey took longer than ${durationText(deadlineMs)}`
  return phase === 'dns'
    ? {
        cause: 'dns_unreachable',
        fault: 'probe',
        reason: `${reason}, at last waiting for the resolver of the probe`,
      }
    : { cause: 'journey_timeout', fault: 'target', reason }
}
