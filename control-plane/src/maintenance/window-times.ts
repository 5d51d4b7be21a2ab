import { maintenanceMinutesMax } from '@probe-mesh/contracts/maintenance/maintenance'
import type { CreateMaintenanceInput } from '@probe-mesh/contracts/maintenance/maintenance'
import type { FieldProblem } from '@probe-mesh/contracts/schema/refusal'

const minuteMs = 60_000
const windowMsMax = maintenanceMinutesMax * minuteMs

/** Start and end of a window in Unix milliseconds, with all problems. */
export type WindowTimes = { startsAtMs: number; endsAtMs: number; problems: FieldProblem[] }

/**
 * The start and end of an input (S-1601). `startsAt` defaults to now and may be in the past, because work may
 * be announced late. The end must be in the future.
 * @param input with exactly one of `endsAt` and `durationMinutes`, which its schema ensures
 */
export const windowTimes = (
  {
    startsAt,
    endsAt,
    durationMinutes = 0,
  }: Pick<CreateMaintenanceInput, 'startsAt' | 'endsAt' | 'durationMinutes'>,
  nowMs: number,
): WindowTimes => {
  const startsAtMs = startsAt ?? nowMs
  const endsAtMs = endsAt ?? startsAtMs + durationMinutes * minuteMs
  const path = endsAt === undefined ? 'durationMinutes' : 'endsAt'
  const problems: FieldProblem[] = []
  if (endsAtMs <= startsAtMs) problems.push({ path, message: 'must end after it starts' })
  if (endsAtMs <= nowMs) problems.push({ path, message: 'must not end in the past' })
  if (endsAtMs - startsAtMs > windowMsMax) {
    problems.push({ path, message: 'must end within 90 days of its start' })
  }
  return { startsAtMs, endsAtMs, problems }
}
