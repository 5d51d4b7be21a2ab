import { expect, test } from 'vitest'
import type { Finding } from './finding.ts'
import {
  clickhouseFindings,
  clusterFindings,
  type ClickHouseFacts,
  type ClusterServer,
} from './clickhouse-findings.ts'

const nowMs = Date.parse('2026-11-22T10:00:00Z')
const worst = (findings: readonly Finding[]): string =>
  findings
    .filter(({ level }) => level !== 'ok')
    .map(({ level, topic }) => `${level} ${topic}`)
    .join(', ')

const clickhouse: ClickHouseFacts = {
  version: '26.5',
  skewMs: 0,
  tookMs: 1,
  disks: [{ name: 'default', freeBytes: 50e9, totalBytes: 100e9 }],
  arrivals: { newestReceivedAtMs: nowMs, delayP95Ms: 900, partsMax: 5 },
  migrations: { known: ['1'], applied: ['1'] },
  missingTables: [],
  notAllowed: [],
}
const ofClickHouse = (over: Partial<NonNullable<ClickHouseFacts['arrivals']>>, checks: number | null) =>
  worst(
    clickhouseFindings(
      {
        ok: true,
        facts: {
          ...clickhouse,
          arrivals: { newestReceivedAtMs: nowMs, delayP95Ms: 900, partsMax: 5, ...over },
        },
      },
      checks,
    ),
  )
test('a missing table is named with what brings it back', () => {
  const of = (renamedTo: string | null) => {
    const facts = { ...clickhouse, missingTables: [{ table: 'readings_minute', renamedTo }] }
    return clickhouseFindings({ ok: true, facts }, 5).find(({ level }) => level === 'broken')
  }
  expect(of('readings_old')?.next).toContain('"rename table readings_old to readings_minute"')
  expect(of(null)?.message).toContain('lacks the table readings_minute')
  expect(of(null)?.next).toContain('restore')
})

test('missing readings are broken only if some were expected', () => {
  const nothing = { newestReceivedAtMs: null, delayP95Ms: null }
  expect(ofClickHouse({}, 10)).toBe('')
  expect(ofClickHouse(nothing, 10)).toBe('broken readings')
  expect(ofClickHouse(nothing, 0)).toBe('')
  expect(ofClickHouse(nothing, null)).toBe('')
  expect(ofClickHouse({ delayP95Ms: 30_001 }, 10)).toBe('warning readings')
  expect(ofClickHouse({ partsMax: 801 }, 10)).toBe('warning merges')
  expect(ofClickHouse({ partsMax: 2_501 }, 10)).toBe('broken merges')
})

const serverOf = (
  place: [host: string, shard: number],
  over: Partial<ClickHouseFacts> & { problems?: string[] } = {},
): ClusterServer => ({
  host: place[0],
  shard: place[1],
  gathered: { ok: true, facts: { ...clickhouse, problems: [], ...over } },
})
const awayAt = (host: string, shard: number): ClusterServer => ({
  host,
  shard,
  gathered: { ok: false, why: 'refused' },
})
const quiet = { newestReceivedAtMs: null, delayP95Ms: null, partsMax: 1 }
const late = { newestReceivedAtMs: nowMs, delayP95Ms: 40_000, partsMax: 1 }
const full = { name: 'default', freeBytes: 1, totalBytes: 100e9 }

test.each<[string, ClusterServer[], string]>([
  ['is well', [serverOf(['a1', 1]), serverOf(['a2', 1]), serverOf(['b1', 2])], ''],
  ['lacks a replica', [serverOf(['a1', 1]), awayAt('a2', 1)], 'warning clickhouse'],
  [
    'lacks a shard',
    [serverOf(['a1', 1]), awayAt('b1', 2), awayAt('b2', 2)],
    'broken clickhouse, broken clickhouse',
  ],
  [
    'has a full disk on its last server',
    [serverOf(['a1', 1]), serverOf(['b1', 2], { disks: [full] })],
    'broken disk',
  ],
  [
    'has a server without a migration',
    [serverOf(['a1', 1]), serverOf(['b1', 2], { migrations: { known: ['1'], applied: [] } })],
    'warning migrations',
  ],
  [
    'has a server in another place',
    [serverOf(['a1', 1], { problems: ['its macro shard is 2'] })],
    'broken clickhouse',
  ],
  [
    'has a shard whose checks are all quiet',
    [serverOf(['a1', 1]), serverOf(['b1', 2], { arrivals: quiet })],
    '',
  ],
  ['gets nothing anywhere', [serverOf(['a1', 1], { arrivals: quiet })], 'broken readings'],
  [
    'gets what is late at one',
    [serverOf(['a1', 1]), serverOf(['b1', 2], { arrivals: late })],
    'warning readings',
  ],
  [
    'merges too slowly at one',
    [serverOf(['a1', 1]), serverOf(['b1', 2], { arrivals: { ...late, delayP95Ms: 1, partsMax: 801 } })],
    'warning merges',
  ],
  ['answers nowhere', [awayAt('a1', 1)], 'broken clickhouse'],
])('a cluster that %s', (_, servers, said) => {
  const findings = clusterFindings(servers, 10)
  expect(worst(findings)).toBe(said)
  for (const { level, message, topic } of findings) {
    if (level !== 'ok' && topic !== 'readings') expect(message).toMatch(/ClickHouse at [ab][12]\b/)
  }
})
