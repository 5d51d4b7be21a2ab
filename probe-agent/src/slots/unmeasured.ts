import type { Assignment } from '@probe-mesh/contracts/assignment'
import type { Reading } from '@probe-mesh/contracts/reading'
import { noTimings } from '@probe-mesh/contracts/timings'
import type { RunContext } from './run.ts'

/** Why the probe itself could not measure; never the target's fault. */
export type ProbeCause = 'probe_overloaded' | 'probe_error' | 'probe_overdue'

const reasons: Record<ProbeCause, string> = {
  probe_overloaded: 'the probe had too much to do to begin this run in time',
  probe_error: 'the probe failed while it measured',
  probe_overdue: 'the run did not end by its deadline',
}

const lateMsMax = 86_400_000

/** The reading of a slot that the probe could not measure: no data, and it says so. */
export const unmeasured = (
  assignment: Assignment,
  context: Pick<RunContext, 'slot' | 'kind' | 'number' | 'lateMs'>,
  cause: ProbeCause,
  now: number,
): Reading => ({
  checkId: assignment.checkId,
  region: assignment.region,
  slot: context.slot,
  kind: context.kind,
  number: context.number,
  verdict: 'unmeasured',
  fault: 'probe',
  cause,
  reason: reasons[cause],
  httpStatus: null,
  latencyMs: null,
  timings: noTimings,
  measuredAt: Math.max(0, Math.round(now)),
  attempts: 0,
  lateMs: Math.min(Math.max(0, context.lateMs), lateMsMax),
  address: null,
  certificateExpiresAt: null,
})
