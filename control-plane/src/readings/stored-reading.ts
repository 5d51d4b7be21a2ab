import type { StoredReading } from '@probe-mesh/contracts/check/check'
import type { Reading } from '@probe-mesh/contracts/reading/reading'

/**
 * A reading as the API returns it.
 * @param receivedAtMs null for a reading that is not stored yet
 */
export const describeReading = (
  reading: Reading,
  agent: string,
  receivedAtMs: number | null,
): StoredReading => ({
  region: reading.region,
  slot: new Date(reading.slot).toISOString(),
  kind: reading.kind,
  verdict: reading.verdict,
  reason: reading.reason,
  httpStatus: reading.httpStatus,
  latencyMs: reading.latencyMs,
  timings: reading.timings,
  measuredAt: new Date(reading.measuredAt).toISOString(),
  receivedAt: receivedAtMs === null ? null : new Date(receivedAtMs).toISOString(),
  agent,
  certificateExpiresAt:
    reading.certificateExpiresAt === null ? null : new Date(reading.certificateExpiresAt).toISOString(),
  details: reading.details ?? null,
})
