import type { CheckRow } from '@probe-mesh/contracts/check/check-row'
import type { CheckDetail, RegionStatus, StoredReading } from '@probe-mesh/contracts/check/check'
import { noTimings } from '@probe-mesh/contracts/reading/reading-details'
import { checkOf } from '../plan/testing.ts'
import type { Display } from './display.ts'

export const nowMs = Date.parse('2026-11-20T12:00:00.000Z')

/** The instant a number of seconds before now. */
export const before = (seconds: number): string => new Date(nowMs - seconds * 1000).toISOString()

/** A pipe in a UTF-8 locale. */
export const plain: Display = { columns: 80, hasColours: false, isUtf8: true }

/** Terminal control: an escape, a C1 control, a direction override, a new line. */
export const hostile = '\u001B[2J\u009B31m\u202Egnp.exe\r\n\u0007'
/** None of it may remain in the output. */
// eslint-disable-next-line no-control-regex
export const acted = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/

export const regionOf = (region: string, more: Partial<RegionStatus> = {}): RegionStatus => ({
  region,
  status: 'up',
  reason: null,
  latencyMs: 84.2,
  measuredAt: before(12),
  fresh: true,
  verdict: 'up',
  timings: { dnsMs: 2, connectMs: 12.2, tlsMs: 25, ttfbMs: 40, transferMs: 5 },
  ...more,
})

export const detailOf = (name: string, more: Partial<CheckDetail> = {}): CheckDetail => ({
  ...checkOf(name),
  id: '0190c2a4-7d3e-7b6f-8a11-2b3c4d5e6f70',
  statusSince: before(7_200),
  statusReason: null,
  vantage: 'regional',
  measuredAt: before(12),
  staleAfterSeconds: 180,
  regionStatuses: [regionOf('iad')],
  uptime: { day: 1, week: 0.99996, month: 0.9712, quarter: null },
  measuredShare: { day: 1, week: 1, month: 0.9, quarter: 0 },
  ...more,
})

export const readingOf = (region: string, more: Partial<StoredReading> = {}): StoredReading => ({
  region,
  slot: before(0),
  kind: 'manual',
  verdict: 'up',
  reason: null,
  httpStatus: 200,
  latencyMs: 84.2,
  timings: { dnsMs: 2, connectMs: 12.2, tlsMs: 25, ttfbMs: 40, transferMs: 5 },
  measuredAt: before(0),
  receivedAt: null,
  agent: 'agent',
  details: null,
  ...more,
})

export const unreached = noTimings

/** A check of the list: operational for two hours in all of its regions. */
export const rowOf = (name: string, more: Partial<CheckRow> = {}): CheckRow => {
  const check = checkOf(name, more)
  return {
    ...check,
    statusSince: before(7_200),
    statusReason: null,
    measuredAt: before(12),
    staleAfterSeconds: 180,
    regionStatuses: check.regions.map((region) => regionOf(region)),
    p50Ms: 84.2,
    p95Ms: 120,
    uptime: { day: 0.99996, month: 0.9712 },
    measuredShare: { day: 1, month: 0.9 },
    maintenance: false,
    trend: Array.from({ length: 48 }, (_, slot) =>
      slot < 6 ? 'no_data' : slot === 30 ? 'down' : 'operational',
    ),
    ...more,
  }
}

/** One of each status, and one that is paused. */
export const oneOfEach: readonly CheckRow[] = [
  rowOf('web', { maintenance: true }),
  rowOf('api', {
    status: 'down',
    type: 'multistep',
    statusSince: before(1_020),
    statusReason:
      '4 of 4 regions fail (iad, sjc, fra, nrt): Step 2 (second): expected status 200-299, got 500',
    regionStatuses: ['iad', 'sjc', 'fra', 'nrt'].map((region) => regionOf(region, { status: 'down' })),
    p50Ms: 912,
    uptime: { day: 0.4, month: 0.9 },
  }),
  rowOf('slow', {
    status: 'degraded',
    regions: ['fra'],
    statusReason: 'p95 is 2,310 ms, more than 2,000 ms',
  }),
  rowOf('silent', {
    status: 'stale',
    measuredAt: before(900),
    regionStatuses: [regionOf('iad', { status: 'stale', fresh: false })],
  }),
  rowOf('new', {
    status: 'unknown',
    type: 'tcp',
    url: null,
    target: 'db.example.com:5432',
    statusSince: null,
    measuredAt: null,
    regionStatuses: [],
    p50Ms: null,
    uptime: { day: null, month: null },
    trend: Array.from({ length: 48 }, () => 'no_data'),
  }),
  rowOf('nightly', { type: 'heartbeat', url: null, regions: [], p50Ms: null }),
  rowOf('parked', { paused: true, status: 'down', statusReason: 'refused' }),
]
