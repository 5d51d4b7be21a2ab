import type { Region } from '@probe-mesh/contracts/reading/regions'
import { isUnansweredCause } from '../status/unanswered.ts'

/** How a target failed: its name did not resolve, it did not answer, or it answered wrongly. */
export type FailureMode = 'dns' | 'no_answer' | 'wrong_answer' | 'unknown'

/** The failure of a service in one region. */
export type RegionFailure = {
  region: Region
  /** Unix milliseconds. */
  sinceMs: number
  mode: FailureMode
  /** The CDN that marked the failing answer; null without a mark or an answer. */
  mark: string | null
}

/**
 * The failure mode for the cause of a failing reading. TLS failures are `no_answer`: a middlebox can cause
 * them, and the service itself has not answered.
 */
export const failureModeOf = (cause: string | null | undefined): FailureMode => {
  if (cause === null || cause === undefined) return 'unknown'
  if (cause.startsWith('dns')) return 'dns'
  return isUnansweredCause(cause) ? 'no_answer' : 'wrong_answer'
}
