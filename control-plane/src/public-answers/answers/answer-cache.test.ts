import fc from 'fast-check'
import { forAll } from '@probe-mesh/infra/testing/for-all'
import { describe, expect, test } from 'vitest'
import { isServiceDown } from './answer-verbs.ts'
import { observedOf, answersOf, smallCatalog, type TestAnswers } from './testing.ts'
import { createAnswerCache } from './answer-cache.ts'

const t0 = Date.parse('2026-11-20T12:00:00.000Z')

/** A context that counts reads of a service's readings. */
const counted = (more: Partial<TestAnswers> = {}) => {
  const clock = { nowMs: t0 }
  const observed = observedOf({ now: () => clock.nowMs })
  let reads = 0
  const regionsOf = (slug: string) => {
    reads += 1
    return observed.regionsOf(slug)
  }
  const context = answersOf({
    now: () => clock.nowMs,
    observed: { ...observed, regionsOf },
    ...more,
  })
  const readsOf = (act: () => void): number => {
    reads = 0
    act()
    return reads
  }
  return { clock, context, readsOf, cache: createAnswerCache(context) }
}

describe('a cached status', () => {
  test('is computed once for all names of a service', () => {
    const { context, cache, readsOf } = counted()
    context.observed.setReadings('github', { fra: 'up' })
    const names = ['github', 'GitHub', 'gh', 'github.com']
    expect(readsOf(() => cache.status('GitHub', null))).toBeGreaterThan(0)
    expect(readsOf(() => names.forEach((name) => cache.status(name, null)))).toBe(0)
    expect(readsOf(() => cache.cachedStatus('github'))).toBe(0)
  })

  test('is computed again for a new reading, for a reading that becomes stale, and for each region', () => {
    const { clock, context, cache, readsOf } = counted()
    const isComputed = (region: string | null = null) => readsOf(() => cache.status('github', region)) > 0
    expect([isComputed(), isComputed(), isComputed('fra'), isComputed('fra')]).toEqual([
      true,
      false,
      true,
      false,
    ])
    context.observed.setReadings('github', { fra: 'down' })
    expect([isComputed(), isComputed(), isComputed('fra')]).toEqual([true, false, true])
    expect(JSON.parse(cache.status('github', null).json).status).toBe('down')
    clock.nowMs += context.staleAfterMs
    expect(isComputed()).toBe(false)
    expect(JSON.parse(cache.status('github', null).json).freshness).toMatchObject({
      verdict: 'fresh',
      ageSeconds: context.staleAfterMs / 1_000,
    })
    clock.nowMs += 1
    expect(isComputed()).toBe(true)
    expect(JSON.parse(cache.status('github', null).json).status).toBe('no_data')
  })

  test('exists for live regions only, which bounds the cache', () => {
    const { cache, readsOf } = counted()
    const read = () => readsOf(() => cache.status('github', 'xyz'))
    expect([read(), read()]).toEqual([1, 1])
  })

  test('is found by a slug at once, and by another name after its first request', () => {
    const { context, cache } = counted()
    context.observed.setReadings('github', { fra: 'up' })
    const unknown = ['', '__proto__', 'web-shop', 'git hub com']
    for (const query of ['GitHub', 'github.com', ...unknown]) {
      expect(cache.cachedStatus(query)).toBeUndefined()
      cache.status(query, null)
    }
    expect(unknown.map((query) => cache.cachedStatus(query))).toEqual(unknown.map(() => undefined))
    expect(cache.cachedStatus('GitHub')).toBe(cache.status('github', null))
    context.observed.setReadings('github', { fra: 'down' })
    expect(JSON.parse(cache.cachedStatus('github.com')?.json ?? '{}').status).toBe('down')
  })
})

test('an answer about the whole catalog is computed once a second', () => {
  const { clock, cache, readsOf } = counted()
  const { length } = smallCatalog.catalog.services
  const read = () => readsOf(() => cache.ofCatalog('listServices'))
  expect([read(), read()]).toEqual([length, 0])
  clock.nowMs += 1_000
  expect(read()).toBe(length)
})

test('the cache always returns the answer of the operation, and one ETag for one text only', () => {
  const step = fc.record({
    slug: fc.constantFrom('github', 'npm'),
    verdict: fc.option(fc.constantFrom('up', 'down', 'blocked')),
    region: fc.constantFrom(null, 'fra', 'iad', 'xyz'),
    passesMs: fc.constantFrom(0, 0, 1, 499, 501, 1_000, 60_000, 179_999, 180_000, 180_001),
  })
  const texts = new Map<string, string>()
  forAll([fc.array(step, { maxLength: 30 })], (steps) => {
    const { clock, context, cache } = counted()
    for (const { slug, verdict, region, passesMs } of steps) {
      clock.nowMs += passesMs
      if (verdict !== null) context.observed.setReadings(slug, { fra: verdict })
      const query = region === null ? {} : { region }
      const { json, etag } = cache.status(slug, region)
      expect(JSON.parse(json)).toEqual(isServiceDown(context, { params: { slug }, query }))
      expect(etag).toMatch(/^"[\w-]+"$/)
      expect(texts.get(etag) ?? json).toBe(json)
      texts.set(etag, json)
    }
  })
})
