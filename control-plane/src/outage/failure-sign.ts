import type { Region } from '@probe-mesh/contracts/regions'

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

const silentCauses = new Set([
  'connection_refused',
  'connection_reset',
  'connection_closed',
  'connect_timeout',
  'host_unreachable',
  'response_timeout',
])

/**
 * The sign of a failing reading's cause. TLS counts as silence: what ended it may stand between, and
 * the service itself has said nothing.
 */
export const signOf = (cause: string | null | undefined): FailureSign => {
  if (cause === null || cause === undefined) return 'unknown'
  if (cause.startsWith('dns')) return 'name'
  const isSilent =
    silentCauses.has(cause) || cause.startsWith('tls_') || cause.startsWith('certificate_')
  return isSilent ? 'silent' : 'answered'
}
