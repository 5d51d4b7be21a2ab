import {
  isKnownType,
  type HeldAssignment,
  type UnknownAssignment,
} from '@probe-mesh/contracts/mesh/assignment'
import type { Reading } from '@probe-mesh/contracts/reading/reading'
import { noTimings } from '@probe-mesh/contracts/reading/reading-details'
import type { RunContext } from './run.ts'

/** Why the probe itself could not measure; never the target's fault. */
type ProbeCause = 'probe_overloaded' | 'probe_error' | 'probe_overdue'

const reasons: Record<ProbeCause, string> = {
  probe_overloaded: 'the probe was too busy to start this run in time',
  probe_error: 'the probe failed during the run',
  probe_overdue: 'the run did not end by its deadline',
}

const lateMsMax = 86_400_000

type Asked = Pick<RunContext, 'slot' | 'kind' | 'number' | 'lateMs'>

/** The reading of a slot that the probe could not measure. */
export const unmeasured = (
  assignment: HeldAssignment,
  context: Asked,
  cause: ProbeCause,
  now: number,
): Reading => notMeasured(assignment, context, cause, reasons[cause], now)

/** The same when the agent is too old for a check: reported, never dropped. */
export const notUnderstood = (assignment: UnknownAssignment, context: Asked, now: number): Reading => {
  const { sentType } = assignment
  const reason = isKnownType(sentType)
    ? 'this agent does not understand the definition of the check; update the agent'
    : `this agent is too old for checks of type ${sentType}; update the agent`
  return notMeasured(assignment, context, 'check_not_understood', reason, now)
}

const notMeasured = (
  assignment: HeldAssignment,
  context: Asked,
  cause: string,
  reason: string,
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
  reason,
  httpStatus: null,
  latencyMs: null,
  timings: noTimings,
  measuredAt: Math.max(0, Math.round(now)),
  attempts: 0,
  lateMs: Math.min(Math.max(0, context.lateMs), lateMsMax),
  address: null,
  certificateExpiresAt: null,
})
