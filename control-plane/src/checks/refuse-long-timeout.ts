import { timeoutProblem } from '@probe-mesh/contracts/check/check-timeout'
import { refuse } from '@probe-mesh/contracts/schema/refusal'
import type { Refusal } from '@probe-mesh/contracts/schema/refusal'
import type { StoredConfig } from '../check-record/stored-config.ts'

/** A timeout that the interval has no room for: a run must end before the next slot. SV-2001. Pure. */
export const refuseLongTimeout = (
  config: StoredConfig,
  intervalSeconds: number,
): Refusal | null => {
  const timeoutSeconds = 'timeoutSeconds' in config ? config.timeoutSeconds : undefined
  const message = timeoutProblem(timeoutSeconds, intervalSeconds)
  return message === null
    ? null
    : refuse('SV-2001', { errors: [{ path: 'timeoutSeconds', message }] })
}
