import type { DatabaseFacts } from '@probe-mesh/control-plane/mesh/doctor-facts-store'
import { expect, test } from 'vitest'
import { sumBy } from '../gather/metrics.ts'
import { printFindings } from '../run-doctor-act.ts'
import { busFindings } from './bus-findings.ts'
import { clickhouseFindings } from './clickhouse-findings.ts'
import { gatewayFindings } from './identity-findings.ts'
import { credentialFinding, mailFinding, webFindings, type WebFacts } from './machine-findings.ts'
import type { MetricsAccess, WebFigures } from './metrics-facts.ts'
import { worst } from './testing/worst.ts'
import {
  clockFinding,
  diskFinding,
  migrationFinding,
  noPostgresFinding,
  ownClockFindings,
  postgresFindings,
} from './store-findings.ts'

const nowMs = Date.parse('2026-11-22T10:00:00Z')
const none = { count: 0, oldestAtMs: null }
const database: DatabaseFacts = {
  nowMs,
  connections: 20,
  connectionsMax: 200,
  controlPlanes: [],
  failingChannels: [],
  operatorChannels: [],
  hasSecrets: false,
  owners: [0, 1].map((partition) => ({ partition, owner: 'one', epoch: 3, takenAtMs: nowMs })),
  quarantines: [],
  putAside: none,
  putAsideReasons: [],
  outbox: none,
  deliveries: none,
  dead: none,
  batches: none,
  checks: 10,
}
const waiting = (count: number, ageMs: number) => ({ count, oldestAtMs: nowMs - ageMs })
const ofDatabase = (over: Partial<DatabaseFacts>) =>
  postgresFindings({ database: { ...database, ...over }, skewMs: 0, tookMs: 1 })

const shares = { named: [], otherHosts: 0, distinct: 0 }

test.each<[string, Partial<DatabaseFacts>, string]>([
  ['is well', {}, ''],
  ['has 159 of 200 connections taken', { connections: 159 }, ''],
  ['has 160 of 200 connections taken', { connections: 160 }, 'warning postgres'],
  ['has 190 of 200 connections taken', { connections: 190 }, 'broken postgres'],
  [
    'has a partition without an owner',
    { owners: [{ partition: 3, owner: null, epoch: 1, takenAtMs: null }] },
    'broken partitions',
  ],
  ['has a cause for 59 s', { outbox: waiting(1, 59_000) }, ''],
  ['has a cause for a minute', { outbox: waiting(1, 60_000) }, 'warning outbox'],
  ['has a cause for ten minutes', { outbox: waiting(1, 600_000) }, 'broken outbox'],
  ['has a message that is due', { deliveries: waiting(3, 61_000) }, 'warning deliveries'],
  ['has a batch that does not end', { batches: waiting(1, 700_000) }, 'broken storing'],
  ['has given a message up', { dead: waiting(1, 1_000) }, 'warning dead letters'],
  ['has put something aside', { putAside: waiting(1, 1_000) }, 'warning put aside'],
  [
    'has a region in quarantine',
    {
      quarantines: [
        {
          id: 'q',
          region: 'fra',
          sinceAtMs: nowMs - 60_000,
          endedAtMs: null,
          hosts: 10,
          failing: 9,
          refused: 0,
          examples: ['a.example'],
          sources: { accounts: shares, domains: shares, networks: shares },
        },
      ],
    },
    'warning quarantine',
  ],
])('a database that %s', (_, over, said) => {
  expect(worst(ofDatabase(over))).toBe(said)
})

test.each([
  [4_999, 'ok'],
  [5_000, 'warning'],
  [-29_999, 'warning'],
  [30_000, 'broken'],
  [-30_000, 'broken'],
])('a clock that is %i ms ahead is %s', (skewMs, level) => {
  const finding = clockFinding('clock', 'its clock', skewMs)
  expect(finding.level).toBe(level)
  if (level !== 'ok') expect(finding.message).toContain(skewMs > 0 ? 'ahead of' : 'behind')
})

test("if all servers are off by the same time, this machine's clock is reported instead", () => {
  const of = (...skews: number[]) =>
    ownClockFindings(skews.map((skewMs, n) => clockFinding('clock', `the clock of ${n}`, skewMs)))
  const [own, ...others] = of(-120_000, -121_000, -119_500)
  expect([own?.level, others]).toEqual(['broken', []])
  expect(own?.message).toMatch(/^This machine's clock is 2 min ahead of those of all 3 servers/)
  expect(of(9_000, 9_500)[0]?.message).toContain('9 s behind')
  // a correct one, two that differ, or a single server do not blame this machine
  for (const skews of [[-120_000, 0], [-120_000, -60_000], [-120_000, 120_000], [-120_000]]) {
    expect(of(...skews)).toHaveLength(skews.length)
    expect(JSON.stringify(of(...skews))).not.toContain("This machine's clock")
  }
})

test('a Postgres that refuses is not reported as unreachable', () => {
  const why = 'password authentication failed for user "u"'
  const found = noPostgresFinding({ ok: false, why, code: '28P01' })
  expect(found?.message).toBe(`Postgres refuses: ${why}.`)
  expect(found?.next).toContain('password of DATABASE_URL')
  const full = 'too many connections for role "mesh"'
  expect(noPostgresFinding({ ok: false, why: full, code: '53300' }).next).toContain(
    `psql -c 'alter role "mesh" connection limit -1'`,
  )
  expect(noPostgresFinding({ ok: false, why: 'sorry, too many clients', code: '53300' }).next).toContain(
    'max_connections',
  )
})

test('readings from the future are attributed to a clock, others are not', () => {
  const next = (reasons: string[]) =>
    ofDatabase({ putAside: waiting(2, 1_000), putAsideReasons: reasons }).find(
      ({ topic }) => topic === 'put aside',
    )?.next
  expect(next(['reading: from the future'])).toContain('timedatectl')
  expect(next(['not JSON: x'])).toContain('poison_messages')
})

test.each([
  [50e9, 100e9, 'ok'],
  [2e9, 2.1e9, 'ok'],
  [1.99e9, 2.1e9, 'warning'],
  [0.49e9, 2e9, 'broken'],
  // a small share of a large disk is still large
  [100e9, 10_000e9, 'ok'],
  [14e9, 100e9, 'warning'],
  [4e9, 100e9, 'broken'],
])('%d bytes free of %d are %s', (freeBytes, totalBytes, level) => {
  expect(diskFinding('disk', 'it', { freeBytes, totalBytes }).level).toBe(level)
})

test('missing migrations, and those of a newer version, are reported', () => {
  const known = ['1', '2']
  expect(migrationFinding('Postgres', { known, applied: ['1', '2'] }).level).toBe('ok')
  expect(migrationFinding('Postgres', { known, applied: ['1'] }).message).toContain('lacks 2')
  expect(migrationFinding('Postgres', { known, applied: ['1', '2', '3'] }).message).toContain(
    'does not know: 3',
  )
})

const day = 86_400_000
test.each([
  [null, 'ok'],
  [31 * day, 'ok'],
  [30 * day, 'warning'],
  [3 * day, 'broken'],
  [0, 'broken'],
  [-day, 'broken'],
])('what ends in %s ms is %s', (left, level) => {
  const credential = { whose: 'it', endsAtMs: left === null ? null : nowMs + left, renew: 'do' }
  expect(credentialFinding('credentials', credential, nowMs).level).toBe(level)
})

const web: WebFacts = {
  url: 'http://a',
  tookMs: 1,
  notReady: [],
  degraded: [],
  skewMs: 0,
  certificateEndsAtMs: null,
  metrics: { access: 'token', figures: null },
  proxy: 'none',
}
const figures: WebFigures = {
  lag: { ingest: 30_000 },
  agents: { fra: 0, iad: 1 },
  chromium: null,
  held: {},
  ownFault: false,
  notTrusted: [],
}
const withFigures = (over: Partial<WebFigures>, access: MetricsAccess = 'token'): WebFacts => ({
  ...web,
  metrics: { access, figures: { ...figures, ...over } },
})
test("a process's report of its bus counts if there is no other", () => {
  const of = (facts: WebFacts, hasBus: boolean) =>
    worst(webFindings({ ok: true, facts }, 'http://a', nowMs, hasBus))
  expect(of(withFigures({}), true)).toBe('')
  expect(of(withFigures({}), false)).toBe('broken lag, broken agents')
  const measuring = { lag: {}, agents: { fra: 1 } }
  expect(of(withFigures({ ...measuring, ownFault: true }), false)).toBe('broken agents')
  expect(of({ ...web, notReady: ['postgres'] }, true)).toBe('broken web')
  const degraded = [{ part: 'clickhouse', effect: 'History is delayed.' }]
  expect(of({ ...web, degraded }, true)).toBe('warning degraded')
  expect(of({ ...web, certificateEndsAtMs: nowMs + day }, true)).toBe('broken certificate')
  const access = (value: MetricsAccess): WebFacts => ({ ...web, metrics: { access: value, figures: null } })
  expect(of(access('open'), true)).toBe('broken metrics')
  expect(of(access('refused'), true)).toBe('warning metrics')
  expect(of(access('this machine'), true)).toBe('')
  expect(of(access('not routed'), true)).toBe('')
  expect(of(access('not routed'), false)).toBe('warning metrics')
  expect(of(withFigures({ chromium: 'sandboxed' }), true)).toBe('')
  expect(of(withFigures({ chromium: 'none' }), true)).toBe('')
  expect(of(withFigures({ held: { 'GET /v1/checks': 3.2 } }), true)).toBe('warning loop')
  expect(of(withFigures({ chromium: 'off' }), true)).toBe('warning browser')
  expect(of(withFigures({ chromium: 'without_sandbox' }), true)).toBe('warning browser')
})

test('a proxy that does not route the metrics is no finding: the control plane of this machine has them', () => {
  const facts: WebFacts = { ...web, metrics: { access: 'not routed', figures: null } }
  const of = (access: MetricsAccess, over: Partial<WebFigures>) => {
    const metrics = { access, figures: { ...figures, ...over } }
    const own = { url: 'http://b', who: 'a ready control plane', metrics } as const
    return webFindings({ ok: true, facts }, 'http://a', nowMs, true, own)
  }
  expect(worst(of('token', {}))).toBe('')
  expect(JSON.stringify(of('token', {}))).toContain('the proxy does not route it')
  expect(worst(of('open', {}))).toBe('broken metrics')
  expect(worst(of('token', { chromium: 'off' }))).toBe('warning browser')
})

test('a proxy that TRUST_PROXY lacks is named with its address', () => {
  const of = (proxy: WebFacts['proxy'], notTrusted: string[]) =>
    webFindings({ ok: true, facts: { ...withFigures({ notTrusted }), proxy } }, 'http://a', nowMs, true)
  expect(worst(of('not_trusted', ['10.0.0.5']))).toBe('warning proxy')
  expect(of('not_trusted', ['10.0.0.5']).find(({ topic }) => topic === 'proxy')?.next).toContain(
    'TRUST_PROXY=10.0.0.5',
  )
  // a client may send any header
  expect(worst(of('none', ['192.0.2.9']))).toBe('')
  expect(worst(of('trusted', []))).toBe('')
})

test('a gateway whose TRUST_PROXY lacks its proxy is named, and an older one is not', () => {
  const of = (proxy: WebFacts['proxy']) =>
    gatewayFindings({ ok: true, facts: { controlPlane: 'ok', proxy } }, 'http://mcp')
  expect(worst(of('not_trusted'))).toBe('warning proxy')
  expect(of('not_trusted').at(-1)?.next).toContain('on the MCP gateway, and restart it')
  for (const proxy of ['none', 'trusted', null] as const) expect(worst(of(proxy))).toBe('')
})

test('a part that does not answer a busy machine is not called dead', () => {
  const late = { ok: false, why: 'no answer within 18000 ms', ownDelayMs: 900 } as const
  const found = [
    noPostgresFinding(late),
    ...clickhouseFindings(late, 5),
    ...busFindings(late),
    ...webFindings(late, 'http://a', nowMs, false),
  ]
  for (const { level, message, next } of found) {
    expect(level).toBe('warning')
    expect(message).toContain('900 ms late')
    expect(next).toContain('Run the doctor again')
  }
})

test('every unreachable part is a finding with what to do', () => {
  const away = { ok: false, why: 'connect ECONNREFUSED' } as const
  const findings = [
    noPostgresFinding(away),
    ...clickhouseFindings(away, 5),
    ...busFindings(away),
    ...webFindings(away, 'http://a', nowMs, false),
    mailFinding(away),
  ]
  expect(findings).toHaveLength(5)
  for (const { level, message, next } of findings) {
    expect(level).toBe('broken')
    expect(message).toContain('ECONNREFUSED')
    expect(next).toMatch(/\w/)
  }
})

test('the worst finding is printed first, with what to do below it', () => {
  const text = printFindings([
    { level: 'ok', topic: 'web', message: 'is ready' },
    { level: 'broken', topic: 'postgres', message: 'does not answer.', next: 'Start it.' },
  ])
  expect(text).toBe(
    [
      'broken   postgres  does not answer.',
      '                   -> Start it.',
      'ok       web       is ready',
      '',
      '1 broken, 0 warnings, 1 ok.',
      '',
    ].join('\n'),
  )
})

test('a gauge in Prometheus text is summed by a label', () => {
  const text = [
    '# HELP stream_lag_messages x',
    'stream_lag_messages{consumer="ingest",partition="0"} 3',
    'stream_lag_messages{consumer="ingest",partition="1"} 4',
    'stream_lag_messages{consumer="assess",partition="0"} 1e3',
    'stream_lag_messages_other{consumer="x"} 1',
  ].join('\n')
  expect(sumBy(text, 'stream_lag_messages', 'consumer')).toEqual({ ingest: 7, assess: 1_000 })
})
