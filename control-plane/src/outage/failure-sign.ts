import type { Region } from '@probe-mesh/contracts/reading/regions'
import { isUnansweredCause } from '../status/unanswered.ts'

/** How a target failed: by its name, without an answer, or with one that is wrong. */
export type FailureSign = 'name' | 'silent' | 'answered' | 'unknown'

/** What is known of a failing service in one region. */
export type RegionFailure = {
  region: Region
  /** Unix milliseconds. */
  sinceMs: number
  sign: FailureSign
  /** The CDN whose mark the failing answer bore; null where it bore none, or there was none. */
  mark: string | null
}

/**
 * The sign of a failing reading's cause. TLS counts as silence: what ended it may stand between, and
 * the service itself has said nothing.
 */
export const signOf = (cause: string | null | undefined): FailureSign => {
  if (cause === null || cause === undefined) return 'unknown'
  if (cause.startsWith('dns')) return 'name'
  return isUnansweredCause(cause) ? 'silent' : 'answered'
}
