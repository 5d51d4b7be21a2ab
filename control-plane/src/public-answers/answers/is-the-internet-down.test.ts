import { describe, expect, test } from 'vitest'
import { describeInternet } from './is-the-internet-down.ts'
import type { Factor, ObservedService } from '../shared-factors.ts'
import { newSharedState, observeCatalog, type SharedState } from '../shared-incident.ts'
import { group, minuteMs, t0, withMode } from '../testing.ts'

const cdn: Factor = { kind: 'cdn', name: 'cloudway' }
const cloud: Factor = { kind: 'cloud_region', name: 'a/east-1' }
const dns: Factor = { kind: 'dns', name: 'route' }

const observe = (services: ObservedService[], state: SharedState = newSharedState, nowMs = t0) =>
  observeCatalog(state, services, nowMs)

describe('the status of the internet', () => {
  test.each<[string, ObservedService[], string]>([
    ['no_data for an empty catalog', [], 'no_data'],
    [
      'no_data at a cold start',
      group('r', 10, 0, []).map((one) => ({ ...one, health: 'unknown' as const })),
      'no_data',
    ],
    [
      'no_data while less than half of the catalog is measured',
      [
        ...group('r', 5, 0, []),
        ...group('u', 6, 0, []).map((one) => ({ ...one, health: 'unknown' as const })),
      ],
      'no_data',
    ],
    [
      'none if half of the catalog is measured',
      [
        ...group('r', 5, 0, []),
        ...group('u', 5, 0, []).map((one) => ({ ...one, health: 'unknown' as const })),
      ],
      'none',
    ],
    ['none with one service down', group('r', 50, 1, [cdn]), 'none'],
    [
      'none with two unrelated services down',
      [...group('c', 9, 1, [cdn]), ...group('d', 9, 1, [dns])],
      'none',
    ],
    ['incident with a CDN down', [...group('c', 9, 9, [cdn]), ...group('d', 30, 0, [dns])], 'incident'],
  ])('is %s', (_, services, status) => {
    expect(describeInternet(observe(services), services, 'regional').status).toBe(status)
  })

  test('describes the incident with the most members', () => {
    const services = [...group('c', 7, 7, [cdn]), ...group('a', 8, 8, [cloud]), ...group('r', 60, 0, [])]
    expect(describeInternet(observe(services), services, 'regional')).toMatchObject({
      sharedIncident: { factor: cloud },
      summary:
        'A shared outage of services on the cloud region a/east-1 seems to be under way since 2026-11-20 12:00 UTC: 8 of 8 measured services failed (A-0, A-1, A-2, A-3, A-4 and 3 more).',
    })
  })
})

test.each<[string, ObservedService[], string]>([
  [
    'all of them use one CDN, and hardly any measured service does not',
    [...group('c', 38, 38, [cdn]), ...group('r', 2, 0, [])],
    '38 of 40 services have failed from every region since 2026-11-20 12:00 UTC. 38 of them use the CDN cloudway; too few measured services (2) do not use it to show that it is the cause.',
  ],
  [
    'they share nothing',
    [...group('c', 20, 18, [cdn]), ...group('d', 20, 18, [dns])],
    '36 of 40 services have failed from every region since 2026-11-20 12:00 UTC, more than any shared CDN, cloud region or DNS provider explains.',
  ],
])('most of the catalog fails: %s', (_, services, summary) => {
  const state = observe(services)
  expect(describeInternet(state, services, 'regional')).toMatchObject({
    sharedIncident: { factor: { kind: 'unknown' } },
    summary,
  })
})

/** A failing service that is down in only one region of four, with a wrong answer. */
const inFra = (one: ObservedService): ObservedService =>
  one.health === 'healthy'
    ? one
    : {
        ...withMode('wrong_answer', 'cloudway')(one),
        failures: [{ region: 'fra', sinceMs: t0, mode: 'wrong_answer', mark: 'cloudway' }],
        health: 'unknown',
        regions: ['fra'],
        sinceMs: null,
        upIn: ['iad', 'nrt', 'sjc'],
      }

describe('an incident in one region', () => {
  const rest = group('r', 60, 0, [])
  const regional = [...group('c', 12, 9, [cdn]).map(inFra), ...rest]

  test('names that region', () => {
    const state = observe(regional)
    expect(state.open).toMatchObject([{ factor: cdn, region: 'fra', regions: ['fra'], peak: 9 }])
    expect(describeInternet(state, regional, 'regional')).toMatchObject({
      status: 'incident',
      sharedIncident: { regions: ['fra'] },
      summary: expect.stringMatching(
        /^A shared outage of services on the CDN cloudway seems to be under way in fra only/,
      ),
    })
  })

  test('does not open for silence, which may be the network of the region', () => {
    const silent = regional.map((one) => ({
      ...one,
      failures: one.failures.map((failure) => ({ ...failure, mode: 'no_answer' as const })),
    }))
    expect(observe(silent).open).toEqual([])
  })

  test('becomes an incident in several regions if it spreads', () => {
    const spread = [...group('c', 12, 9, [cdn]), ...rest]
    const state = observe(spread, observe(regional), t0 + minuteMs)
    expect(state.open).toMatchObject([{ factor: cdn, region: null, peak: 9 }])
  })

  test('closes after its region recovers', () => {
    const all = [...group('c', 12, 0, [cdn]), ...rest]
    let state = observe(regional)
    for (let minute = 1; minute <= 11; minute += 1) state = observe(all, state, t0 + minute * minuteMs)
    expect(state.open).toEqual([])
  })
})
