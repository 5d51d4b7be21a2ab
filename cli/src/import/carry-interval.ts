import { limits } from '@probe-mesh/contracts/schema/limits'
import { tiersDefault } from '@probe-mesh/contracts/account/tiers'
import { note } from './draft.ts'
import type { Draft } from './draft.ts'

const { growth, scale } = tiersDefault

/**
 * Carries the time between two runs. One that a tier refuses is carried as it is: tiers differ, and
 * operators change them.
 * @param seconds may have a fraction
 */
export const carryInterval = (draft: Draft, field: string, seconds: number): void => {
  const whole = Math.min(Math.max(Math.ceil(seconds), 1), limits.intervalSecondsMax)
  draft.fields.intervalSeconds = whole
  if (whole !== seconds) note(draft, field, `is ${seconds} seconds there, ${whole} here`)
  if (whole < scale.intervalSecondsMin) {
    return note(draft, field, `no tier has less than ${scale.intervalSecondsMin} seconds`)
  }
  if (whole < growth.intervalSecondsMin) {
    note(draft, field, `less than ${growth.intervalSecondsMin} seconds needs the Scale tier`)
  }
}
