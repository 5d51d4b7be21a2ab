import type { Assignment } from '@probe-mesh/contracts/mesh/assignment'
import type { Reading } from '@probe-mesh/contracts/reading/reading'
import type { RunContext } from '@probe-mesh/probe-agent/schedule/run'

/** The reading of a run that probes nothing, for benches that do not measure the probing itself. */
export const instantReading = (
  { checkId, region }: Assignment,
  { slot, kind, number, lateMs }: RunContext,
  verdict: 'up' | 'down',
  measuredAt: number,
): Reading => ({
  checkId,
  region,
  slot,
  kind,
  number,
  verdict,
  fault: verdict === 'up' ? 'none' : 'target',
  cause: verdict === 'up' ? 'ok' : 'status_mismatch',
  reason: verdict === 'up' ? null : 'expected a status from 200 to 299, got 503',
  httpStatus: verdict === 'up' ? 200 : 503,
  latencyMs: 41.7,
  timings: { dnsMs: 2.1, connectMs: 9.8, tlsMs: 12.4, ttfbMs: 16.2, transferMs: 1.2 },
  measuredAt,
  attempts: verdict === 'up' ? 1 : 2,
  lateMs,
  address: '203.0.113.1',
  certificateExpiresAt: 1_900_000_000_000,
})
