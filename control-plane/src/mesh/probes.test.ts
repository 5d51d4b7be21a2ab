import type { AnnouncedAgent } from '@probe-mesh/bus/port'
import { Probes } from '@probe-mesh/contracts/agent/probes'
import { presence } from '@probe-mesh/contracts/mesh/subjects'
import { describe, expect, test } from 'vitest'
import { describeProbes } from './probes.ts'
import { nothingSeen, seeRegion } from './sightings.ts'

const facts = {
  publicUrl: 'https://mesh.example.org',
  contactUrl: 'mailto:abuse@example.org',
  vantage: 'regional',
  targetRequestsPerMinute: 3_000,
} as const

const announced = (agent: string, more: object = {}): AnnouncedAgent => ({
  agent,
  region: 'fra',
  version: '0.1.0',
  startedAt: 5,
  revision: 1,
  ...more,
})

const probesOf = (agents: readonly AnnouncedAgent[], more: Partial<typeof facts> = {}): Probes =>
  Probes.parse(describeProbes([seeRegion(nothingSeen('fra'), agents, 1_000)], { ...facts, ...more }, 1_000))

describe('the addresses of a region', () => {
  test.each([
    ['of no agent', [], 'none', []],
    ['that nobody configured', [announced('a')], 'none', []],
    ['that the only agent announced', [announced('a', { addresses: ['192.0.9.1'] })], 'all', ['192.0.9.1']],
    [
      'that all agents announced, once each',
      [
        announced('a', { addresses: ['192.0.9.2', '192.0.9.0/28'] }),
        announced('b', { addresses: ['192.0.9.2'] }),
      ],
      'all',
      ['192.0.9.0/28', '192.0.9.2'],
    ],
    [
      'that one of two agents announced',
      [announced('a', { addresses: ['192.0.9.1'] }), announced('b')],
      'some',
      ['192.0.9.1'],
    ],
    ['that are invalid', [announced('a', { addresses: ['everywhere', 7, '192.0.9.0/40'] })], 'none', []],
    ['that are no list', [announced('a', { addresses: '192.0.9.1' })], 'none', []],
  ] as const)('%s', (_, agents, addressesKnown, addresses) => {
    expect(probesOf(agents).regions).toMatchObject([
      { region: 'fra', agents: agents.length, addressesKnown, addresses },
    ])
  })

  test('leave out offline agents', () => {
    const there = seeRegion(nothingSeen('fra'), [announced('a', { addresses: ['192.0.9.1'] })], 1_000)
    const silent = Array.from({ length: 12 }, (_, n) => 1_000 + (n + 1) * presence.announceMs)
    const gone = silent.reduce((seen, at) => seeRegion(seen, [], at), there)
    const [region] = describeProbes([gone], facts, silent.at(-1) ?? 0).regions
    expect(region).toMatchObject({ agents: 0, addresses: [], addressesKnown: 'none' })
  })
})

test('the User-Agent names the page if others can open it', () => {
  const [region] = probesOf([announced('a'), announced('b')]).regions
  expect(region?.userAgents).toEqual([
    'ProbeMesh/0.1.0 (uptime monitoring; +https://mesh.example.org/probes)',
  ])
})

test('names the contact, or states that none is configured', () => {
  expect(probesOf([]).optOut).toContain('Write to abuse@example.org')
  const nobody = describeProbes([], { ...facts, contactUrl: null }, 0)
  expect(nobody).toMatchObject({ contact: null, optOut: expect.stringContaining('no contact') })
})
