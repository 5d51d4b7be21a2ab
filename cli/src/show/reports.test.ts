import type { ServiceStatusAnswer } from '@probe-mesh/contracts/outage/answers'
import type { HopTrace } from '@probe-mesh/contracts/reading/reading-details'
import { expect, test } from 'vitest'
import { outageAnswer } from '../actions/outage.ts'
import { runReport } from '../actions/run-check.ts'
import { checkDetail } from './check-detail.ts'
import { before, detailOf, nowMs, plain, readingOf, regionOf, unreached } from './testing.ts'

const text = (lines: readonly string[]): string => `\n${lines.join('\n')}\n`

const down = detailOf('api', {
  status: 'down',
  statusReason: 'down in 2 of 4 regions',
  regionStatuses: [
    regionOf('iad'),
    regionOf('sjc', { status: 'down', reason: 'expected status 200 to 299, got 503' }),
    regionOf('fra', {
      status: 'blocked',
      reason: 'the server refused the probe',
      latencyMs: null,
      timings: unreached,
    }),
    regionOf('nrt', { status: 'unknown', latencyMs: null, measuredAt: null, timings: unreached }),
  ],
})

test('shows a check by region with reasons, phases and freshness', () => {
  expect(text(checkDetail(plain, down, nowMs))).toMatchInlineSnapshot(`
    "
    api
      ✗ down since 2026-11-20 10:00:00Z (2 h ago)
      down in 2 of 4 regions
      http https://api.example.com/, every 1 min
      id 0190c2a4-7d3e-7b6f-8a11-2b3c4d5e6f70

    REGION  STATUS     MEASURED  LATENCY  DNS  CONNECT   TLS  TTFB  TRANSFER
    iad     ● up       12 s ago     84.2  2.0     12.2  25.0  40.0       5.0
    sjc     ✗ down     12 s ago     84.2  2.0     12.2  25.0  40.0       5.0
    fra     ⊘ blocked  12 s ago        -    -        -     -     -         -
    nrt     ? unknown  never           -    -        -     -     -         -

    sjc: expected status 200 to 299, got 503
    fra: the server refused the probe

    Uptime: 1 day 100 %, 7 days 99.99 %, 30 days 97.12 %, 90 days no data
    Newest reading: 2026-11-20 11:59:48Z (12 s ago); a reading counts for 3 min.
    Latency and phases are in ms.
    Measured by a probe in each region.
    "
  `)
})

test('shows what a browser check took besides its phases, and its address', () => {
  const [iad] = down.regionStatuses
  if (iad === undefined) throw new Error('no region')
  const page = {
    ...down,
    type: 'browser' as const,
    url: null,
    target: 'https://www.example.com/',
    regionStatuses: [
      { ...iad, latencyMs: 470 },
      { ...iad, region: 'sjc' },
    ],
  }
  const lines = text(checkDetail(plain, page, nowMs)).split('\n')
  expect(lines).toContainEqual(expect.stringMatching(/browser https:\/\/www\.example\.com\/, every 1 min$/))
  expect(lines.filter((line) => /TRANSFER|^ *(iad|sjc) /.test(line)).map((line) => line.trim())).toEqual([
    'REGION  STATUS  MEASURED  LATENCY  DNS  CONNECT   TLS  TTFB  TRANSFER  OTHER',
    'iad     ● up    12 s ago      470  2.0     12.2  25.0  40.0       5.0    386',
    'sjc     ● up    12 s ago     84.2  2.0     12.2  25.0  40.0       5.0      -',
  ])
})

test('leaves all phases out at 40 columns', () => {
  expect(text(checkDetail({ ...plain, columns: 40 }, down, nowMs))).toMatchInlineSnapshot(`
    "
    api
      ✗ down since 2026-11-20 10:00:00Z (2 h
      ago)
      down in 2 of 4 regions
      http https://api.example.com/, every 1
      min
      id
      0190c2a4-7d3e-7b6f-8a11-2b3c4d5e6f70

    REGION  STATUS     MEASURED  LATENCY
    iad     ● up       12 s ago     84.2
    sjc     ✗ down     12 s ago     84.2
    fra     ⊘ blocked  12 s ago        -
    nrt     ? unknown  never           -

    sjc: expected status 200 to 299, got 503
    fra: the server refused the probe

    Uptime: 1 day 100 %, 7 days 99.99 %, 30
            days 97.12 %, 90 days no data
    Newest reading: 2026-11-20 11:59:48Z (12
    s ago); a reading counts for 3 min.
    Latency and phases are in ms.
    Measured by a probe in each region.
    "
  `)
})

test('claims no status for a paused check that was never measured', () => {
  const fresh = detailOf('new', {
    paused: true,
    status: 'unknown',
    statusSince: null,
    measuredAt: null,
    regionStatuses: [],
    uptime: { day: null, week: null, month: null, quarter: null },
    vantage: 'local',
  })
  expect(text(checkDetail(plain, fresh, nowMs))).toMatchInlineSnapshot(`
    "
    new
      ‖ paused
      http https://new.example.com/, every 1 min
      id 0190c2a4-7d3e-7b6f-8a11-2b3c4d5e6f70

    No region measures this check.

    Uptime: 1 day no data, 7 days no data, 30 days no data, 90 days no data
    Nothing has been measured yet.
    Measured from one machine, which stands for every region.
    "
  `)
})

test('shows pings and the latest run of a heartbeat instead of regions', () => {
  const run = {
    id: 'run',
    startedAt: before(300),
    finishedAt: before(240),
    outcome: 'failure' as const,
    durationMs: 60_000,
    stuck: false,
    exitCode: 3,
    message: 'no space left',
  }
  const nightly = detailOf('nightly', {
    type: 'heartbeat',
    url: null,
    status: 'down',
    regionStatuses: [],
    heartbeat: {
      state: 'held_down',
      lastPingAt: before(240),
      nextExpectedAt: null,
      periodSeconds: 86_400,
      graceSeconds: 600,
      maxRuntimeSeconds: 3_600,
      heldDown: true,
      consecutiveFailures: 3,
      latestRun: run,
      slugUrl: null,
      pingUrl: null,
    },
  })
  expect(text(checkDetail(plain, nightly, nowMs))).toMatchInlineSnapshot(`
    "
    nightly
      ✗ down since 2026-11-20 10:00:00Z (2 h ago)
      heartbeat
      id 0190c2a4-7d3e-7b6f-8a11-2b3c4d5e6f70

    State:      held down, after 3 failures in a row
    Expected:   a ping every 1 d, 10 min of grace, runs of 1 h at most
    Latest run: failure, started 2026-11-20 11:55:00Z (5 min ago), ended 2026-11-20
                11:56:00Z (4 min ago), took 1 min, exit code 3, no space left

    Uptime: 1 day 100 %, 7 days 99.99 %, 30 days 97.12 %, 90 days no data
    Newest ping: 2026-11-20 11:56:00Z (4 min ago).
    "
  `)
})

const measured = {
  readings: [
    readingOf('iad'),
    readingOf('sjc', {
      verdict: 'down',
      httpStatus: 503,
      latencyMs: 300,
      reason: 'expected status 200 to 299, got 503',
    }),
    readingOf('fra', {
      verdict: 'blocked',
      httpStatus: null,
      latencyMs: null,
      timings: unreached,
      reason: 'the server refused the probe',
    }),
  ],
  unanswered: ['nrt'],
}

test('shows a run by region, with a silent region as unmeasured, never down', () => {
  expect(text(runReport(plain, down, measured))).toMatchInlineSnapshot(`
    "
    api
      https://api.example.com/
      4 regions: 1 up, 1 down, 1 blocked, 1 unmeasured

    iad  ● up, 84.2 ms, HTTP 200, 2026-11-20 12:00:00Z
         dns       █                                                          2.0 ms
         connect    ████████                                                 12.2 ms
         tls                █████████████████                                25.0 ms
         ttfb                                ███████████████████████████     40.0 ms
         transfer                                                      ███    5.0 ms

    sjc  ✗ down, 300 ms, HTTP 503, 2026-11-20 12:00:00Z
         expected status 200 to 299, got 503
         dns       █                                                          2.0 ms
         connect    ████████                                                 12.2 ms
         tls                █████████████████                                25.0 ms
         ttfb                                ███████████████████████████     40.0 ms
         transfer                                                      ███    5.0 ms
         other                                                                216 ms

    fra  ⊘ blocked, 2026-11-20 12:00:00Z
         the server refused the probe

    nrt  ? unmeasured
         its probe did not answer, which says nothing about the target

    Measured by a probe in each region.
    "
  `)
})

test('draws ASCII bars without UTF-8', () => {
  const { readings } = measured
  const report = runReport({ ...plain, isUtf8: false, columns: 40 }, down, {
    readings: readings.slice(0, 1),
    unanswered: [],
  })
  expect(text(report)).toMatchInlineSnapshot(`
    "
    api
      https://api.example.com/
      1 region: 1 up

    iad  * up, 84.2 ms, HTTP 200, 2026-11-20
         12:00:00Z
         dns       #                  2.0 ms
         connect   ##                12.2 ms
         tls         #####           25.0 ms
         ttfb             ########   40.0 ms
         transfer                 #   5.0 ms

    Measured by a probe in each region.
    "
  `)
})

test('draws the requests of a journey at their time in the run', () => {
  const hop = (step: number, at: number, more: Partial<HopTrace> = {}): HopTrace => ({
    step,
    hop: 0,
    method: 'GET',
    url: `https://shop.example.com/step-${step}`,
    httpStatus: 200,
    startMs: at,
    latencyMs: 100,
    timings: unreached,
    address: null,
    ...more,
  })
  const hops = [
    hop(1, 0),
    hop(2, 100, { method: 'POST', url: 'https://shop.example.com/login', httpStatus: 302 }),
    hop(2, 200, { hop: 1, url: 'https://shop.example.com/account/overview/of/everything' }),
    hop(3, 300, { latencyMs: 700, httpStatus: null }),
  ]
  const reading = readingOf('fra', {
    verdict: 'down',
    latencyMs: 1_000,
    httpStatus: null,
    reason: 'Step 3 (checkout): no answer within 10 s',
    details: { type: 'multistep', hops },
  })
  expect(text(runReport(plain, down, { readings: [reading], unanswered: [] }))).toMatchInlineSnapshot(`
      "
      api
        https://api.example.com/
        1 region: 1 down

      fra  ✗ down, 1000 ms, 2026-11-20 12:00:00Z
           Step 3 (checkout): no answer within 10 s
           1 GET /step-1                   ███                             200  100 ms
           2 POST /login                      ███                          302  100 ms
           2.1 GET /account/overview/of/…        ███                       200  100 ms
           3 GET /step-3                            █████████████████████    -  700 ms

      Measured by a probe in each region.
      "
    `)
})

const answer: ServiceStatusAnswer = {
  service: { slug: 'github', name: 'GitHub' },
  status: 'down_in_some_regions',
  shows: 'answers',
  probes: [
    { url: 'https://api.github.com/rate_limit', grade: 'answers' },
    { url: 'https://github.com/robots.txt', grade: 'edge' },
  ],
  probeCount: 2,
  didYouMean: [],
  regionsRead: ['iad', 'fra'],
  measuredAt: before(20),
  freshness: { verdict: 'fresh', ageSeconds: 20, staleAfterSeconds: 180 },
  vantage: 'local',
  url: 'http://127.0.0.1:8080/outage/github',
  summary: 'GitHub is down in fra and up in iad.',
  regions: [
    { ...regionOf('iad'), reason: null },
    { ...regionOf('fra'), status: 'down', reason: 'no answer within 10 s' },
    { ...regionOf('nrt', { status: 'stale', fresh: false, measuredAt: before(900) }) },
  ],
}

test('shows the evidence of an outage answer: regions, time, freshness, vantage and a URL', () => {
  expect(text(outageAnswer(plain, answer, nowMs))).toMatchInlineSnapshot(`
    "
    GitHub
      ◐ down in some regions
      GitHub is down in fra and up in iad.

    REGION  STATUS   LATENCY  MEASURED
    iad     ● up     84.2 ms  12 s ago
    fra     ✗ down   84.2 ms  12 s ago
    nrt     ◌ stale  84.2 ms  15 min ago, stale

    fra: no answer within 10 s

    Probed:       https://api.github.com/rate_limit (a good answer shows that it
                  responds, not that all of it works)
    Probed:       https://github.com/robots.txt (a file at the edge, which says
                  little about the service)
    Regions read: iad, fra
    Measured:     2026-11-20 11:59:40Z, fresh, 20 s old; a measurement counts for 3
                  min
    Cite:         http://127.0.0.1:8080/outage/github
    Measured from one machine, which stands for every region.
    "
  `)
})

test('shows a service outside the catalog as not covered, with suggestions', () => {
  const unknown = {
    ...answer,
    service: null,
    status: 'not_covered' as const,
    didYouMean: ['github', 'gitlab'],
    summary: '"githup" is not in our catalog; did you mean github or gitlab?',
    regions: [],
    regionsRead: [],
    measuredAt: null,
  }
  expect(text(outageAnswer(plain, unknown, nowMs))).toMatchInlineSnapshot(`
    "
    ? not covered
    "githup" is not in our catalog; did you mean github or gitlab?

      probe-mesh outage github
      probe-mesh outage gitlab
    "
  `)
})
