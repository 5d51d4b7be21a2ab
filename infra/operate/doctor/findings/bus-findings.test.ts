import type { AgentSettings } from '@probe-mesh/bus/port'
import type { BusFacts } from '@probe-mesh/bus/nats/inspect'
import manifest from '@probe-mesh/control-plane/package.json' with { type: 'json' }
import { describe, expect, test } from 'vitest'
import { busFindings, lagFinding, nothingKnown } from './bus-findings.ts'
import { worst } from './testing/worst.ts'

const nowMs = Date.parse('2026-11-22T10:00:00Z')
const agent = {
  agent: 'fra-1',
  region: 'fra',
  version: manifest.version,
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
  regions: [{ region: 'fra', agents: [agent], waiting: [] }],
}
const ofBus = (over: Partial<BusFacts>, askedAtMs = nowMs) =>
  worst(busFindings({ ok: true, facts: { bus: { ...bus, ...over }, askedAtMs } }))
const withAgent = (over: object) => ({
  regions: [{ region: 'fra', agents: [{ ...agent, ...over }], waiting: [] }],
})

describe('a bus', () => {
  test.each<[string, Partial<BusFacts>, string]>([
    ['that is well', {}, ''],
    ['without its streams', { streams: [{ name: 'READINGS', facts: null }] }, 'broken lag'],
    ['without a region', { regions: [{ region: 'fra', agents: null, waiting: [] }] }, 'broken agents'],
    [
      'with a region that nobody is in',
      { regions: [{ region: 'fra', agents: [], waiting: [] }] },
      'broken agents',
    ],
    ['with an agent that fell silent', withAgent({ takenAtMs: nowMs - 7_001 }), 'broken agents'],
    ['with an agent heard 7 s ago', withAgent({ takenAtMs: nowMs - 7_000, report: null }), ''],
    ['with an agent that tells nothing of itself', withAgent({ report: undefined }), ''],
    ['with an agent whose clock is ahead', withAgent({ report: { at: nowMs + 9_000 } }), 'warning clock'],
    ['with an agent far behind', withAgent({ report: { at: nowMs - 300_000 } }), 'broken clock'],
    [
      'with an agent whose resolver answers for no name',
      withAgent({ report: { at: nowMs - 1_000, ownFault: { namesSince: nowMs - 60_000 } } }),
      // and it is the only agent
      'warning agents, broken agents',
    ],
    ['with an agent of an older build', withAgent({ version: '0.1.0' }), 'warning agents'],
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
      { region: 'fra', agents: [agent], waiting: [] },
      { region: 'sjc', agents: [], waiting: [] },
    ]
    const findings = busFindings(
      { ok: true, facts: { bus: { ...bus, regions }, askedAtMs: nowMs } },
      { ...nothingKnown, knownRegions: ['fra', 'nrt'] },
    )
    const found = findings.find(({ level }) => level === 'broken')
    expect(found?.message).toMatch(/^REGIONS contains sjc, but NATS is configured for fra/)
    expect(found?.next).toContain('Set REGIONS=fra on every control plane')
    expect(found?.next).toContain('npm run nats-config -- --regions fra,nrt,sjc')
  })

  test('that refuses the credentials of an agent is not reported as unreachable', () => {
    const agentOfCredentials = { path: '/a.creds', name: 'fra-1', region: 'fra' }
    const context = {
      ...nothingKnown,
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

const expected = {
  regionKeyMark: (region: string) => `mark of ${region}`,
  hasSecrets: false,
  targetAllow: ['10.0.0.0/8', '127.0.0.0/8'],
  notAllowed: [{ region: 'fra', agent: 'fra-1', readings: 7 }],
}
const withSettings = (settings: AgentSettings | undefined, over: object = {}) => {
  const regions = [
    { region: 'fra', agents: [{ ...agent, ...(settings !== undefined && { settings }) }], waiting: [] },
  ]
  return busFindings(
    { ok: true, facts: { bus: { ...bus, regions }, askedAtMs: nowMs } },
    { ...nothingKnown, expected: { ...expected, ...over } },
  ).filter(({ level }) => level !== 'ok')
}
const sound = { regionKey: 'mark of fra', targetAllow: expected.targetAllow }

test('an agent with another REGION_KEY is named, and one without it where checks have secrets', () => {
  expect(withSettings(sound)).toEqual([])
  expect(withSettings(undefined)).toEqual([])
  expect(withSettings({ ...sound, regionKey: 'mark of nrt' })[0]).toMatchObject({
    message: expect.stringContaining('fra-1 has a REGION_KEY that is not the key of fra'),
    next: expect.stringContaining('npm run -s admin -- region-key fra'),
  })
  expect(withSettings({ ...sound, regionKey: null })).toEqual([])
  expect(withSettings({ ...sound, regionKey: null }, { hasSecrets: true })).toHaveLength(1)
  expect(withSettings({ ...sound, regionKey: 'x' }, { regionKeyMark: null })).toEqual([])
})

test('an agent that lacks networks of TARGET_ALLOW is named if it refused targets', () => {
  const lacking = { ...sound, targetAllow: ['10.0.0.0/8'] }
  expect(withSettings(lacking)[0]).toMatchObject({
    message: expect.stringContaining('fra-1 did not measure 7 times in 10 min'),
    next: expect.stringContaining('TARGET_ALLOW=10.0.0.0/8,127.0.0.0/8'),
  })
  // a region may be meant to lack them; and a target that no agent may reach is a fault of its check
  expect(withSettings(lacking, { notAllowed: [] })).toEqual([])
  expect(withSettings(sound)).toEqual([])
})

test('an agent that waits because its name is used elsewhere is named with both hosts', () => {
  const of = (takenAtMs: number) => {
    const waiting = [{ agent: 'fra-1', region: 'fra', instance: 'b@second', takenAtMs }]
    const regions = [{ region: 'fra', agents: [{ ...agent, instance: 'a@first' }], waiting }]
    return busFindings({ ok: true, facts: { bus: { ...bus, regions }, askedAtMs: nowMs } })
  }
  const found = of(nowMs - 1_000).find(({ level }) => level === 'warning')
  expect(found?.message).toContain('one runs on first, another on second waits')
  expect(found?.next).toContain('agent enroll --region fra --name fra-1-2 --out agent-fra-1-2.creds')
  expect(worst(of(nowMs - 60_000))).toBe('')
})

test('a mesh in which every agent has a fault of its own measures nothing, which is broken', () => {
  const blind = { at: nowMs, ownFault: { networkSince: nowMs - 5_000 } }
  const of = (...reports: object[]) =>
    worst(
      busFindings({
        ok: true,
        facts: {
          bus: {
            ...bus,
            regions: [
              {
                region: 'fra',
                agents: reports.map((report) => ({ ...agent, report: report as never })),
                waiting: [],
              },
            ],
          },
          askedAtMs: nowMs,
        },
      }),
    )
  expect(of(blind, blind)).toContain('broken agents')
  expect(of(blind, { at: nowMs })).toBe('warning agents')
})
