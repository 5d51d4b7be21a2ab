import type { Verdict } from '@probe-mesh/contracts/reading/reading'
import { describe, expect, test } from 'vitest'
import { service } from '../../catalog/testing.ts'
import { optionsAt, hourMs, minuteMs, t0 } from '../testing.ts'
import { readingAt } from '../../status/testing.ts'
import { addReading } from './probe-state.ts'
import type { ProbeState } from './probe-state.ts'
import { factorsOf, observeService } from './observed-services.ts'

/** Good a day ago, and as it says since then. */
const probeOf = (verdict: Verdict, atMs: number, sinceMs = atMs): ProbeState | null =>
  [
    readingAt('fra', 'up', t0 - 24 * hourMs),
    readingAt('fra', verdict, sinceMs),
    readingAt('fra', verdict, atMs),
  ].reduce<ProbeState | null>(addReading, null)
const noted = (atMs: number, cdn: string | null, ...nameServers: string[]): ProbeState | null =>
  addReading(null, {
    ...readingAt('fra', 'up', atMs),
    details: { type: 'http', cdn, nameServers },
  })

describe('since when a service fails', () => {
  const seen = (...probes: (ProbeState | null)[]) =>
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

  test('from the earliest failure of the regions that are down now', () => {
    const observed = seen(
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

  test('a failure of another probe that was not asked again began nothing', () => {
    const failing = probeOf('down', t0 - 10, t0 - 20)
    const once = probeOf('down', t0 - 30)
    const regions = ['fra', 'iad'].map((region) => ({
      region,
      readings: failing === null ? [] : [failing.newest],
      quarantined: false,
    }))
    const held = { regions, probesOf: () => [failing, once] }
    expect(observeService(service('one'), held, optionsAt()).sinceMs).toBe(t0 - 20)
  })

  test('a region that fell silent while it failed says nothing of now', () => {
    const silent = probeOf('down', t0 - 10 * minuteMs, t0 - 60 * minuteMs)
    const [one, two] = [probeOf('down', t0 - 10), probeOf('down', t0 - 20)]
    expect(seen(one, two, silent)).toMatchObject({ sinceMs: t0 - 20, regions: ['aaa', 'aab'] })
  })

  test('nor does a probe that was never good there, beside one that was', () => {
    const never = addReading(null, readingAt('fra', 'down', t0 - hourMs))
    const fails = addReading(never, readingAt('fra', 'down', t0 - 5))
    expect(seen(probeOf('down', t0 - 10), probeOf('down', t0 - 20), fails).sinceMs).toBe(t0 - 20)
  })

  test('nor does a probe that did, beside one that fails now', () => {
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
    ['down in one region of two', [probeOf('down', t0 - 10), probeOf('up', t0 - 10)], 'unknown'],
    ['down in the only region there is', [probeOf('down', t0 - 10)], 'failing'],
    ['down in the only region that answers', [probeOf('down', t0 - 10), null], 'unknown'],
    ['refused', [probeOf('blocked', t0 - 10), probeOf('blocked', t0 - 10)], 'unknown'],
    ['up', [probeOf('up', t0 - 10), null], 'healthy'],
  ])('%s', (_, probes, health) => {
    const observed = seen(...probes)
    expect([observed.health, observed.sinceMs !== null]).toEqual([health, health === 'failing'])
  })
})

describe('what a service stands on', () => {
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

  test('is what the catalog says where nothing was seen', () => {
    expect(factorsOf(listed, [[null], [probeOf('up', t0)]])).toEqual([
      { kind: 'cdn', name: 'fastly' },
      cloud,
      { kind: 'dns', name: 'ns1' },
    ])
  })

  test('a cloud without its region is no factor', () => {
    expect(factorsOf(service('one', { cloud: 'aws' }), [])).toEqual([])
  })

  test('the CDN seen last wins, in whichever region it was seen', () => {
    expect(names('cdn', [noted(1, 'bunny')], [noted(2, 'cloudflare')])).toEqual(['cloudflare'])
  })

  test('each probe has a CDN of its own', () => {
    const probes = [noted(1, 'bunny'), noted(2, 'cloudflare')]
    expect(names('cdn', probes, [noted(0, 'akamai'), null])).toEqual(['bunny', 'cloudflare'])
  })

  test('an answer that names no CDN leaves what the catalog says', () => {
    expect(names('cdn', [noted(2, null)])).toEqual(['fastly'])
  })

  test.each([
    ['name servers seen win', ['ada.ns.cloudflare.com'], ['cloudflare']],
    ['nobody knows these: the catalog may', ['ns1.example.com'], ['ns1']],
    ['two providers share the zone', ['ada.ns.cloudflare.com', 'ns-1.awsdns-00.com'], []],
    ['they were not learnt', [], ['ns1']],
  ])('%s', (_, nameServers, expected) => {
    expect(names('dns', [noted(1, null, ...nameServers)])).toEqual(expected)
  })
})
