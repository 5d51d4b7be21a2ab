import type { BusFacts } from '@probe-mesh/bus/nats/inspect'
import type { DatabaseFacts } from '@probe-mesh/control-plane/postgres/doctor-facts'
import { describe, expect, test } from 'vitest'
import type { Finding } from '../finding.ts'
import { sumBy } from '../gather/web.ts'
import { printFindings } from '../print-findings.ts'
import { busFindings, lagFinding } from './bus-findings.ts'
import { clickhouseFindings } from './clickhouse-findings.ts'
import { credentialFinding, mailFinding, webFindings } from './machine-findings.ts'
import type { WebFacts } from './machine-findings.ts'
import { clockFinding, diskFinding, migrationFinding, postgresFindings } from './store-findings.ts'

const nowMs = Date.parse('2026-11-22T10:00:00Z')
const none = { count: 0, oldestAtMs: null }
const database: DatabaseFacts = {
  nowMs,
  connections: 20,
  connectionsMax: 200,
  owners: [0, 1].map((partition) => ({ partition, owner: 'one', epoch: 3, takenAtMs: nowMs })),
  quarantines: [],
  putAside: none,
  putAsideAhead: none,
  outbox: none,
  deliveries: none,
  dead: none,
  batches: none,
  checks: 10,
}
const waiting = (count: number, ageMs: number) => ({ count, oldestAtMs: nowMs - ageMs })
const worst = (findings: readonly Finding[]): string =>
  findings
    .filter(({ level }) => level !== 'ok')
    .map(({ level, topic }) => `${level} ${topic}`)
    .join(', ')
const ofDatabase = (over: Partial<DatabaseFacts>) =>
  postgresFindings({
    ok: true,
    facts: { database: { ...database, ...over }, skewMs: 0, tookMs: 1 },
  })

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

test.each([
  [50e9, 100e9, 'ok'],
  [2e9, 2.1e9, 'ok'],
  [1.99e9, 2.1e9, 'warning'],
  [0.49e9, 2e9, 'broken'],
  // a share of a large disk is much
  [100e9, 10_000e9, 'ok'],
  [14e9, 100e9, 'warning'],
  [4e9, 100e9, 'broken'],
])('%d bytes free of %d are %s', (freeBytes, totalBytes, level) => {
  expect(diskFinding('disk', 'it', { freeBytes, totalBytes }).level).toBe(level)
})

test('migrations that are missing, and those of a newer version, are told', () => {
  const known = ['1', '2']
  expect(migrationFinding('Postgres', { known, applied: ['1', '2'] }).level).toBe('ok')
  expect(migrationFinding('Postgres', { known, applied: ['1'] }).message).toContain('lacks 2')
  expect(migrationFinding('Postgres', { known, applied: ['1', '2', '3'] }).message).toContain(
    '3, which this version does not know',
  )
})

const agent = {
  agent: 'fra-1',
  region: 'fra',
  version: '0.1.0',
  startedAt: 1,
  takenAtMs: nowMs - 1_000,
  report: { at: nowMs - 1_000 },
}
const stream = (name: string, consumers: string[]) => ({
  name,
  facts: {
    name,
    messages: 0,
    bytes: 0,
    bytesMax: 1_000,
    waiting: Object.fromEntries(consumers.map((each) => [each, 0 as number | null])),
    oldestAtMs: null as number | null,
  },
})
const bus: BusFacts = {
  server: 'nats:4222',
  rttMs: 1,
  nowMs,
  streams: [stream('READINGS', ['ingest', 'assess'])],
  regions: [{ region: 'fra', agents: [agent] }],
}
const ofBus = (over: Partial<BusFacts>, askedAtMs = nowMs) =>
  worst(busFindings({ ok: true, facts: { bus: { ...bus, ...over }, askedAtMs } }))
const withAgent = (over: object) => ({
  regions: [{ region: 'fra', agents: [{ ...agent, ...over }] }],
})

describe('a bus', () => {
  test.each<[string, Partial<BusFacts>, string]>([
    ['that is well', {}, ''],
    ['without its streams', { streams: [{ name: 'READINGS', facts: null }] }, 'broken lag'],
    ['without a region', { regions: [{ region: 'fra', agents: null }] }, 'broken agents'],
    [
      'with a region that nobody is in',
      { regions: [{ region: 'fra', agents: [] }] },
      'broken agents',
    ],
    ['with an agent that fell silent', withAgent({ takenAtMs: nowMs - 7_001 }), 'broken agents'],
    ['with an agent heard 7 s ago', withAgent({ takenAtMs: nowMs - 7_000, report: null }), ''],
    ['with an agent that tells nothing of itself', withAgent({ report: undefined }), ''],
    [
      'with an agent whose clock is ahead',
      withAgent({ report: { at: nowMs + 9_000 } }),
      'warning clock',
    ],
    ['with an agent far behind', withAgent({ report: { at: nowMs - 300_000 } }), 'broken clock'],
    [
      'with an agent whose resolver answers for no name',
      withAgent({ report: { at: nowMs - 1_000, ownFault: { namesSince: nowMs - 60_000 } } }),
      'warning agents',
    ],
    ['with an agent of an older build', withAgent({ version: '0.0.9' }), 'warning agents'],
    ['with an agent of a newer build', withAgent({ version: '9.0.0' }), ''],
    [
      'with much on a disk',
      withAgent({ report: { at: nowMs - 1_000, spool: { readings: 5_000, bytes: 1 } } }),
      'warning spool',
    ],
    [
      'with readings dropped',
      withAgent({
        report: { at: nowMs - 1_000, dropped: { full: 1, old: 0, damaged: 0, disk: 0 } },
      }),
      'warning spool',
    ],
  ])('%s', (_, over, said) => {
    expect(ofBus(over)).toBe(said)
  })

  test('is told of by how full its streams are', () => {
    const full = (bytes: number) => {
      const one = stream('READINGS', ['ingest'])
      return ofBus({ streams: [{ ...one, facts: { ...one.facts, bytes } }] })
    }
    expect([full(699), full(700), full(900)]).toEqual(['', 'warning disk', 'broken disk'])
  })

  test('and our clock are compared, not its agents with ours', () => {
    expect(ofBus({}, nowMs + 6_000)).toBe('warning clock')
  })
})

test('what waits is told by how much there is, and how old it is', () => {
  const of = (messages: number | null, oldestMs: number) =>
    lagFinding('ingest', messages, oldestMs).level
  expect([
    of(0, 90_000),
    of(999, 1_000),
    of(1, 60_001),
    of(1_000, 0),
    of(20_000, 0),
    of(null, 0),
  ]).toEqual(['ok', 'ok', 'warning', 'warning', 'broken', 'broken'])
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
  metrics: 'token',
  lag: { ingest: 30_000 },
  agents: { fra: 0, iad: 1 },
  chromium: null,
}
test('what a process says of its own bus counts where there is no other', () => {
  const of = (facts: WebFacts, hasBus: boolean) =>
    worst(webFindings({ ok: true, facts }, 'http://a', nowMs, hasBus))
  expect(of(web, true)).toBe('')
  expect(of(web, false)).toBe('broken lag, broken agents')
  expect(of({ ...web, notReady: ['postgres'] }, true)).toBe('broken web')
  const degraded = [{ part: 'clickhouse', effect: 'History is delayed.' }]
  expect(of({ ...web, degraded }, true)).toBe('warning degraded')
  expect(of({ ...web, certificateEndsAtMs: nowMs + day }, true)).toBe('broken certificate')
  expect(of({ ...web, metrics: 'open' }, true)).toBe('broken metrics')
  expect(of({ ...web, metrics: 'refused' }, true)).toBe('warning metrics')
  expect(of({ ...web, metrics: 'this machine' }, true)).toBe('')
  expect(of({ ...web, chromium: 'sandboxed' }, true)).toBe('')
  expect(of({ ...web, chromium: 'none' }, true)).toBe('')
  expect(of({ ...web, chromium: 'off' }, true)).toBe('warning browser')
  expect(of({ ...web, chromium: 'without_sandbox' }, true)).toBe('warning browser')
})

test('every part that does not answer is a finding with what to do', () => {
  const away = { ok: false, why: 'connect ECONNREFUSED' } as const
  const findings = [
    ...postgresFindings(away),
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

test('the worst is printed first, and what to do below it', () => {
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

test("a gauge of Prometheus's text is summed by a label", () => {
  const text = [
    '# HELP stream_lag_messages x',
    'stream_lag_messages{consumer="ingest",partition="0"} 3',
    'stream_lag_messages{consumer="ingest",partition="1"} 4',
    'stream_lag_messages{consumer="assess",partition="0"} 1e3',
    'stream_lag_messages_other{consumer="x"} 1',
  ].join('\n')
  expect(sumBy(text, 'stream_lag_messages', 'consumer')).toEqual({ ingest: 7, assess: 1_000 })
})
