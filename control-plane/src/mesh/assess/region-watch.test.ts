import { uuidv7 } from '@probe-mesh/contracts/schema/ids'
import fc from 'fast-check'
import { Registry } from 'prom-client'
import { forAll } from '@probe-mesh/infra/testing/for-all'
import { describe, expect, test } from 'vitest'
import { catalogAccountId } from '../../accounts/accounts-store.ts'
import type { AssessedCheck } from '../../status/states-store.ts'
import { staleAfterMs } from '../../status/freshness.ts'
import { newCheckState } from '../../status/state.ts'
import { unansweredAt as readingAt } from '../../status/testing.ts'
import { createHostSample, createRegionWatch } from './region-watch.ts'
import { assessMetrics } from './metrics.ts'

const t0 = 1_700_000_000_000

const watching = () => {
  let nowMs = t0
  const checks = new Map<string, AssessedCheck>()
  const registry = new Registry()
  const metrics = assessMetrics(registry, { size: () => 0, dirtyCount: () => 0 })
  const watch = createRegionWatch({ find: (id) => checks.get(id), metrics, now: () => nowMs })
  return {
    watch,
    refused: async () => (await metrics.evidenceRefused.get()).values[0]?.value,
    checks,
    pass: (ms: number) => (nowMs += ms),
    check: (host: string | null, { regions = ['fra', 'iad'], accountId = catalogAccountId } = {}): string => {
      const checkId = uuidv7(t0)
      checks.set(checkId, {
        checkId,
        accountId,
        name: host ?? 'none',
        host,
        regions,
        intervalSeconds: 60,
        paused: false,
        state: newCheckState,
      })
      return checkId
    },
    measure: (checkId: string, from = ['fra', 'iad']) => {
      for (const region of from) watch.note({ ...readingAt(region, 'up', nowMs), checkId })
    },
    hosts: () => watch.survey().get('fra')?.catalog.hosts ?? 0,
  }
}

describe('the watched hosts', () => {
  test('are the distinct hosts that several regions measure', () => {
    const at = watching()
    for (const host of ['a.example.com', 'a.example.com', 'b.example.com']) {
      at.measure(at.check(host))
    }
    at.measure(at.check('alone.example.com', { regions: ['fra'] }))
    at.measure(at.check(null))
    at.measure(uuidv7(t0))
    expect(at.watch.size()).toBe(2)
    expect(at.hosts()).toBe(2)
  })

  test('exclude readings of a region that the check no longer uses', () => {
    const at = watching()
    at.measure(at.check('a.example.com', { regions: ['iad', 'nrt'] }))
    expect(at.watch.survey()).toEqual(new Map())
  })

  test('are removed with their check, their host, or their readings', () => {
    const at = watching()
    const [deleted, moved, silent] = ['a', 'b', 'c'].map((name) => at.check(`${name}.example.com`))
    for (const id of at.checks.keys()) at.measure(id)
    expect(at.hosts()).toBe(3)
    at.checks.delete(deleted ?? '')
    const before = at.checks.get(moved ?? '')
    if (before !== undefined) at.checks.set(before.checkId, { ...before, host: 'd.example.com' })
    expect(at.hosts()).toBe(1)
    expect(at.watch.size()).toBe(1)
    at.pass(staleAfterMs(60) + 1)
    expect(at.hosts()).toBe(0)
    expect(at.watch.size()).toBe(0)
    at.measure(silent ?? '')
    expect(at.hosts()).toBe(1)
  })

  test('are at most 5,000 hosts of the catalog', () => {
    const at = watching()
    for (let n = 0; n < 5_100; n++) at.measure(at.check(`host-${n}.example.com`))
    expect(at.hosts()).toBe(5_000)
  })

  test('are ten hosts for each of 500 accounts, besides those of the catalog', async () => {
    const at = watching()
    for (let n = 0; n < 30; n++) {
      at.measure(at.check(`host-${n}.example.com`, { accountId: 'one' }))
    }
    expect(at.watch.size()).toBe(10)
    expect(await at.refused()).toBeGreaterThan(0)
    for (let n = 0; n < 600; n++) {
      at.measure(at.check('example.com', { accountId: `account ${n}` }))
    }
    const accounts = at.watch.survey().get('fra')?.accounts
    expect(accounts?.hosts).toBeLessThanOrEqual(509)
    expect(accounts?.hosts).toBeGreaterThanOrEqual(500)
    at.measure(at.check('example.com'))
    expect(at.hosts()).toBe(1)
  })

  test('keep no account whose checks are gone', () => {
    const at = watching()
    at.measure(at.check('a.example.com', { accountId: 'one' }))
    at.checks.clear()
    at.watch.survey()
    expect(at.watch.size()).toBe(0)
  })
})

test('a sample has the same hosts in any order of arrival', () => {
  const hosts = fc.uniqueArray(fc.domain(), { minLength: 1, maxLength: 60 })
  forAll([hosts, fc.integer({ min: 1, max: 40 }), fc.nat()], (names, hostsMax, turn) => {
    const held = (order: readonly string[]) => {
      const sample = createHostSample<string>(hostsMax)
      for (const host of order) sample.take(host, () => host)
      return sample
        .entries()
        .map(([host]) => host)
        .toSorted()
    }
    const from = turn % names.length
    const turned = [...names.slice(from), ...names.slice(0, from)].toReversed()
    expect(held(turned)).toEqual(held(names))
    expect(held(names)).toHaveLength(Math.min(hostsMax, names.length))
  })
})

test('a host removed from a full sample makes room for any other', () => {
  const sample = createHostSample<string>(2)
  for (const host of ['a', 'b', 'c']) sample.take(host, () => host)
  const [[first] = ['']] = sample.entries()
  sample.delete(first)
  const left = ['d', 'e', 'f'].filter((host) => sample.take(host, () => host) !== null)
  expect(left.length).toBeGreaterThan(0)
  expect(sample.size()).toBe(2)
})
