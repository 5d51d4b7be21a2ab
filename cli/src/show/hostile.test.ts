import type { ServiceStatusAnswer } from '@probe-mesh/contracts/outage/answers'
import type { Incident } from '@probe-mesh/contracts/incident/incident'
import type { HopTrace } from '@probe-mesh/contracts/reading/reading-details'
import { describe, expect, test } from 'vitest'
import { incidentTable } from '../actions/list-incidents.ts'
import { maintenanceTable } from '../actions/list-maintenance.ts'
import { outageAnswer } from '../actions/outage.ts'
import { runReport } from '../actions/run-check.ts'
import { widthOf } from '../file/text-width.ts'
import { checkDetail } from './check-detail.ts'
import { statusTable } from './status-table.ts'
import { acted, before, detailOf, hostile, nowMs, plain, readingOf, regionOf, rowOf } from './testing.ts'

const url = `https://${hostile}/`
const check = detailOf(hostile, {
  url,
  statusReason: hostile,
  regionStatuses: [regionOf(hostile, { reason: hostile, status: hostile as 'up' })],
  heartbeat: {
    state: 'down',
    nextExpectedAt: null,
    lastPingAt: hostile,
    periodSeconds: 60,
    graceSeconds: 10,
    maxRuntimeSeconds: null,
    heldDown: false,
    consecutiveFailures: 2,
    latestRun: {
      id: 'run',
      startedAt: null,
      finishedAt: hostile,
      outcome: 'failure',
      durationMs: null,
      stuck: false,
      exitCode: 1,
      message: hostile,
    },
    slugUrl: null,
    pingUrl: null,
  },
})
const { heartbeat: _, ...probed } = check
const hop: HopTrace = {
  step: 1,
  hop: 0,
  method: 'GET',
  url: hostile,
  httpStatus: null,
  startMs: 0,
  latencyMs: 10,
  timings: readingOf('fra').timings,
  address: null,
}
const incident: Incident = {
  id: 'id',
  statusPageId: 'page',
  checkId: hostile,
  region: hostile,
  title: hostile,
  status: hostile as 'resolved',
  source: 'manual',
  startedAt: hostile,
  resolvedAt: null,
  updates: [],
}
const page = { name: hostile } as Parameters<typeof maintenanceTable>[1][number]['page']
const window = {
  id: 'id',
  statusPageId: 'page',
  title: hostile,
  body: hostile,
  startsAt: hostile,
  endsAt: hostile,
  state: 'active' as const,
  componentIds: [],
  createdAt: before(0),
}
const answer: ServiceStatusAnswer = {
  service: { slug: hostile, name: hostile },
  status: hostile as 'up',
  shows: hostile as 'works',
  probes: [{ url: hostile, grade: hostile as 'works' }],
  probeCount: 1,
  didYouMean: [],
  regionsRead: [hostile],
  measuredAt: hostile,
  freshness: { verdict: hostile as 'fresh', ageSeconds: 1, staleAfterSeconds: 180 },
  vantage: hostile as 'local',
  url: hostile,
  summary: hostile,
  regions: [{ ...regionOf(hostile), reason: hostile }],
}
const readings = [
  readingOf(hostile, { reason: hostile, measuredAt: hostile, verdict: hostile as 'up' }),
  readingOf('fra', { details: { type: 'multistep', hops: [hop] } }),
  readingOf('fra', { details: { type: 'tcp', received: hostile } }),
  readingOf('fra', {
    details: { type: 'smtp', banner: hostile, extensions: [], tlsVersion: null },
  }),
  readingOf('fra', {
    details: { type: 'dns', rcode: hostile, ttlSeconds: 1, values: [hostile] },
  }),
  readingOf('fra', {
    details: {
      type: 'http',
      cdn: null,
      nameServers: [],
      names: {
        name: hostile,
        resolver: hostile,
        controls: hostile,
        unchecked: hostile,
        zone: hostile,
        servers: [{ name: hostile, address: hostile, answer: hostile }],
      },
    },
  }),
]

const renderings: [string, (display: typeof plain) => string[]][] = [
  [
    'the table of checks',
    (display) =>
      statusTable(
        display,
        [rowOf(hostile, { url, regions: [hostile], statusReason: hostile, tags: [hostile], status: 'down' })],
        { nowMs },
      ),
  ],
  ['a check', (display) => checkDetail(display, probed, nowMs)],
  ['a heartbeat', (display) => checkDetail(display, check, nowMs)],
  ['a run', (display) => runReport(display, check, { readings, unanswered: [hostile] })],
  ['an outage answer', (display) => outageAnswer(display, answer, nowMs)],
  [
    'an answer that covers nothing',
    (display) =>
      outageAnswer(
        display,
        { ...answer, service: null, status: 'not_covered', didYouMean: [hostile] },
        nowMs,
      ),
  ],
  ['incidents', (display) => incidentTable(display, [incident], new Map([[hostile, hostile]]), nowMs)],
  ['maintenance', (display) => maintenanceTable(display, [{ page, window }], nowMs)],
]

describe.each(renderings)('%s', (_, render) => {
  test.each([40, 80, 200])('reaches a terminal of %i columns as text that fits it', (columns) => {
    for (const isUtf8 of [true, false]) {
      const lines = render({ ...plain, columns, isUtf8 })
      expect(lines.join('\n')).not.toMatch(acted)
      for (const line of lines) {
        expect(line).not.toContain('\n')
        expect(widthOf(line)).toBeLessThanOrEqual(columns)
      }
    }
  })

  test('uses colours only on a terminal with colours', () => {
    // eslint-disable-next-line no-control-regex
    const escapes = /\u001B\[\d+m/g
    const coloured = render({ ...plain, hasColours: true }).join('\n')
    expect(coloured.replace(escapes, '')).toBe(render(plain).join('\n'))
  })
})
