import type { BusFacts } from '@probe-mesh/bus/nats/inspect'
import { describe, expect, test } from 'vitest'
import { busFindings, lagFinding } from './bus-findings.ts'
import { worst } from './testing/worst.ts'

const nowMs = Date.parse('2026-11-22T10:00:00Z')
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
    ['with a region that nobody is in', { regions: [{ region: 'fra', agents: [] }] }, 'broken agents'],
    ['with an agent that fell silent', withAgent({ takenAtMs: nowMs - 7_001 }), 'broken agents'],
    ['with an agent heard 7 s ago', withAgent({ takenAtMs: nowMs - 7_000, report: null }), ''],
    ['with an agent that tells nothing of itself', withAgent({ report: undefined }), ''],
    ['with an agent whose clock is ahead', withAgent({ report: { at: nowMs + 9_000 } }), 'warning clock'],
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

  test('that is not configured for a region says so, and lists the configured ones', () => {
    const regions = [
      { region: 'fra', agents: [agent] },
      { region: 'sjc', agents: [] },
    ]
    const findings = busFindings(
      { ok: true, facts: { bus: { ...bus, regions }, askedAtMs: nowMs } },
      { knownRegions: ['fra', 'nrt'], agentOfCredentials: null, controlPlaneCredentials: null },
    )
    const found = findings.find(({ level }) => level === 'broken')
    expect(found?.message).toMatch(/^REGIONS contains sjc, but NATS is configured for fra/)
    expect(found?.next).toContain('Set REGIONS=fra on every control plane')
    expect(found?.next).toContain('npm run nats-config -- --regions fra,nrt,sjc')
  })

  test('that refuses the credentials of an agent is not reported as unreachable', () => {
    const agentOfCredentials = { path: '/a.creds', name: 'fra-1', region: 'fra' }
    const context = {
      knownRegions: ['fra'],
      agentOfCredentials,
      controlPlaneCredentials: '/cp.creds',
    }
    const [found] = busFindings({ ok: false, why: 'Permissions Violation' }, context)
    expect(found?.message).toContain('belong to the agent fra-1 of fra')
    expect(found?.next).toBe('Set NATS_CREDENTIALS=/cp.creds.')
  })

  test('is reported by the fill level of its streams', () => {
    const full = (bytes: number) => {
      const one = stream('READINGS', ['ingest'])
      return ofBus({ streams: [{ ...one, facts: { ...one.facts, bytes } }] })
    }
    expect([full(699), full(700), full(900)]).toEqual(['', 'warning disk', 'broken disk'])
  })

  test("and this machine's clock are compared; its agents are compared with NATS", () => {
    expect(ofBus({}, nowMs + 6_000)).toBe('warning clock')
  })
})

test('a backlog is reported with its size and its age', () => {
  const of = (messages: number | null, oldestMs: number) => lagFinding('ingest', messages, oldestMs).level
  expect([of(0, 90_000), of(999, 1_000), of(1, 60_001), of(1_000, 0), of(20_000, 0), of(null, 0)]).toEqual([
    'ok',
    'ok',
    'warning',
    'warning',
    'broken',
    'broken',
  ])
})
