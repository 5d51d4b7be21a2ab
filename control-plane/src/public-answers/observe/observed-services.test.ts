import type { Verdict } from '@probe-mesh/contracts/reading/reading'
import { describe, expect, test } from 'vitest'
import { service } from '../../catalog/testing.ts'
import { optionsAt, hourMs, minuteMs, t0 } from '../testing.ts'
import { readingAt } from '../../status/testing.ts'
import { addReading, type ProbeState } from './probe-state.ts'
import { factorsOf, observeService } from './observed-services.ts'

/** Up a day ago, and with this verdict since. */
const probeOf = (verdict: Verdict, atMs: number, sinceMs = atMs): ProbeState | null =>
  [
    readingAt('fra', 'up', t0 - 24 * hourMs),
    readingAt('fra', verdict, sinceMs),
    readingAt('fra', verdict, atMs),
  ].reduce<ProbeState | null>(addReading, null)
const probeWith = (atMs: number, cdn: string | null, ...nameServers: string[]): ProbeState | null =>
  addReading(null, {
    ...readingAt('fra', 'up', atMs),
    details: { type: 'http', cdn, nameServers },
  })

describe('the outage of a service', () => {
  const observe = (...probes: (ProbeState | null)[]) =>
    observeService(
      service('one'),
      {
        regions: probes.map((probe, index) => ({
          region: `aa${'abcdef'[index] ?? 'z'}`,
          readings: probe === null ? [] : [probe.newest],
          quarantined: false,
        })),
        probesOf: (region) => [probes['abcdef'.indexOf(region[2] ?? '')] ?? null],
      },
      optionsAt(),
    )

  test('begins at the earliest failure of the regions that are down now', () => {
    const observed = observe(
      probeOf('down', t0 - 10, t0 - 5 * minuteMs),
      probeOf('down', t0 - 10, t0 - 9 * minuteMs),
      probeOf('up', t0 - 10),
    )
    expect(observed).toMatchObject({
      health: 'failing',
      sinceMs: t0 - 9 * minuteMs,
      regions: ['aaa', 'aab'],
    })
  })

  test('does not begin at an unconfirmed failure of another probe', () => {
    const failing = probeOf('down', t0 - 10, t0 - 20)
    const once = probeOf('down', t0 - 30)
    const regions = ['fra', 'iad'].map((region) => ({
      region,
      readings: failing === null ? [] : [failing.newest],
      quarantined: false,
    }))
    const readings = { regions, probesOf: () => [failing, once] }
    expect(observeService(service('one'), readings, optionsAt()).sinceMs).toBe(t0 - 20)
  })

  test('ignores a region without fresh readings', () => {
    const silent = probeOf('down', t0 - 10 * minuteMs, t0 - 60 * minuteMs)
    const [one, two] = [probeOf('down', t0 - 10), probeOf('down', t0 - 20)]
    expect(observe(one, two, silent)).toMatchObject({ sinceMs: t0 - 20, regions: ['aaa', 'aab'] })
  })

  test('ignores a probe that was never up in the region', () => {
    const never = addReading(null, readingAt('fra', 'down', t0 - hourMs))
    const fails = addReading(never, readingAt('fra', 'down', t0 - 5))
    expect(observe(probeOf('down', t0 - 10), probeOf('down', t0 - 20), fails).sinceMs).toBe(t0 - 20)
  })

  test('ignores the stale failure of another probe', () => {
    const probes = [probeOf('down', t0 - hourMs), probeOf('down', t0 - 10)]
    const regions = ['fra', 'iad'].map((region) => ({
      region,
      readings: probes.flatMap((probe) => probe?.newest ?? []),
      quarantined: false,
    }))
    const observed = observeService(service('one'), { regions, probesOf: () => probes }, optionsAt())
    expect(observed.sinceMs).toBe(t0 - 10)
  })

  test.each<[string, (ProbeState | null)[], string]>([
    [
      'is not confirmed if one of two regions is down',
      [probeOf('down', t0 - 10), probeOf('up', t0 - 10)],
      'unknown',
    ],
    ['is confirmed if the only region is down', [probeOf('down', t0 - 10)], 'failing'],
    [
      'is not confirmed if the only region with readings is down',
      [probeOf('down', t0 - 10), null],
      'unknown',
    ],
    [
      'does not exist if all regions are refused',
      [probeOf('blocked', t0 - 10), probeOf('blocked', t0 - 10)],
      'unknown',
    ],
    ['does not exist if a region is up', [probeOf('up', t0 - 10), null], 'healthy'],
  ])('%s', (_, probes, health) => {
    const observed = observe(...probes)
    expect([observed.health, observed.sinceMs !== null]).toEqual([health, health === 'failing'])
  })
})

describe('the factors of a service', () => {
  const listed = service('one', {
    cdn: 'fastly',
    dns: 'ns1',
    cloud: 'aws',
    cloudRegion: 'us-east-1',
  })
  const cloud = { kind: 'cloud_region', name: 'aws/us-east-1' }
  const names = (kind: string, ...probes: (ProbeState | null)[][]) =>
    factorsOf(listed, probes)
      .filter((factor) => factor.kind === kind)
      .map(({ name }) => name)

  test('come from the catalog without observations', () => {
    expect(factorsOf(listed, [[null], [probeOf('up', t0)]])).toEqual([
      { kind: 'cdn', name: 'fastly' },
      cloud,
      { kind: 'dns', name: 'ns1' },
    ])
  })

  test('do not contain a cloud without its region', () => {
    expect(factorsOf(service('one', { cloud: 'aws' }), [])).toEqual([])
  })

  test('contain the CDN observed last in any region', () => {
    expect(names('cdn', [probeWith(1, 'bunny')], [probeWith(2, 'cloudflare')])).toEqual(['cloudflare'])
  })

  test('contain the CDN of each probe', () => {
    const probes = [probeWith(1, 'bunny'), probeWith(2, 'cloudflare')]
    expect(names('cdn', probes, [probeWith(0, 'akamai'), null])).toEqual(['bunny', 'cloudflare'])
  })

  test('keep the CDN of the catalog if an answer names none', () => {
    expect(names('cdn', [probeWith(2, null)])).toEqual(['fastly'])
  })

  test.each([
    ['contain the provider of observed name servers', ['ada.ns.cloudflare.com'], ['cloudflare']],
    ['keep the DNS provider of the catalog for unknown name servers', ['ns1.example.com'], ['ns1']],
    ['contain no DNS provider if two share the zone', ['ada.ns.cloudflare.com', 'ns-1.awsdns-00.com'], []],
    ['keep the DNS provider of the catalog without name servers', [], ['ns1']],
  ])('%s', (_, nameServers, expected) => {
    expect(names('dns', [probeWith(1, null, ...nameServers)])).toEqual(expected)
  })
})
