import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { isServiceDown } from './answer-verbs.ts'
import { observedOf, answersOf, smallCatalog } from './testing.ts'
import type { TestAnswers } from './testing.ts'
import { createAnswerCache } from './answer-cache.ts'

const t0 = Date.parse('2026-11-20T12:00:00.000Z')

/** Answers that count how often a service's readings are looked at. */
const counted = (more: Partial<TestAnswers> = {}) => {
  const clock = { nowMs: t0 }
  const observed = observedOf({ now: () => clock.nowMs })
  let looks = 0
  const regionsOf = (slug: string) => {
    looks += 1
    return observed.regionsOf(slug)
  }
  const context = answersOf({
    now: () => clock.nowMs,
    observed: { ...observed, regionsOf },
    ...more,
  })
  const looksOf = (act: () => void): number => {
    looks = 0
    act()
    return looks
  }
  return { clock, context, looksOf, memory: createAnswerCache(context) }
}

describe('a status', () => {
  test('is made once, by whatever name it is asked for', () => {
    const { context, memory, looksOf } = counted()
    context.observed.setReadings('github', { fra: 'up' })
    const asked = ['github', 'GitHub', 'gh', 'github.com']
    expect(looksOf(() => memory.status('GitHub', null))).toBeGreaterThan(0)
    expect(looksOf(() => asked.forEach((name) => memory.status(name, null)))).toBe(0)
    expect(looksOf(() => memory.cachedStatus('github'))).toBe(0)
  })

  test('is made anew when a reading comes, when one turns stale, and for each region', () => {
    const { clock, context, memory, looksOf } = counted()
    const look = (region: string | null = null) => looksOf(() => memory.status('github', region)) > 0
    expect([look(), look(), look('fra'), look('fra')]).toEqual([true, false, true, false])
    context.observed.setReadings('github', { fra: 'down' })
    expect([look(), look(), look('fra')]).toEqual([true, false, true])
    expect(JSON.parse(memory.status('github', null)).status).toBe('down')
    clock.nowMs += context.staleAfterMs
    expect(look()).toBe(false)
    expect(JSON.parse(memory.status('github', null)).freshness).toMatchObject({
      verdict: 'fresh',
      ageSeconds: context.staleAfterMs / 1_000,
    })
    clock.nowMs += 1
    expect(look()).toBe(true)
    expect(JSON.parse(memory.status('github', null)).status).toBe('no_data')
  })

  test('of a region that is not live is not remembered: there are more of those than fit', () => {
    const { memory, looksOf } = counted()
    const look = () => looksOf(() => memory.status('github', 'xyz'))
    expect([look(), look()]).toEqual([1, 1])
  })

  test('of what is no slug as it stands is left to whoever parses it, until that was done once', () => {
    const { context, memory } = counted()
    context.observed.setReadings('github', { fra: 'up' })
    const unknown = ['', '__proto__', 'web-shop', 'git hub com']
    for (const asked of ['GitHub', 'github.com', ...unknown]) {
      expect(memory.cachedStatus(asked)).toBeUndefined()
      memory.status(asked, null)
    }
    expect(unknown.map((asked) => memory.cachedStatus(asked))).toEqual(unknown.map(() => undefined))
    expect(memory.cachedStatus('GitHub')).toBe(memory.status('github', null))
    context.observed.setReadings('github', { fra: 'down' })
    expect(JSON.parse(memory.cachedStatus('github.com') ?? '{}').status).toBe('down')
  })
})

test('an answer about the whole catalog is made once a second', () => {
  const { clock, memory, looksOf } = counted()
  const { length } = smallCatalog.catalog.services
  const look = () => looksOf(() => memory.ofCatalog('listServices'))
  expect([look(), look()]).toEqual([length, 0])
  clock.nowMs += 1_000
  expect(look()).toBe(length)
})

test('what is remembered says what the verb says, at any time and whatever happened before', () => {
  const step = fc.record({
    slug: fc.constantFrom('github', 'npm'),
    verdict: fc.option(fc.constantFrom('up', 'down', 'blocked')),
    region: fc.constantFrom(null, 'fra', 'iad', 'xyz'),
    passesMs: fc.constantFrom(0, 0, 1, 499, 501, 1_000, 60_000, 179_999, 180_000, 180_001),
  })
  fc.assert(
    fc.property(fc.array(step, { maxLength: 30 }), (steps) => {
      const { clock, context, memory } = counted()
      for (const { slug, verdict, region, passesMs } of steps) {
        clock.nowMs += passesMs
        if (verdict !== null) context.observed.setReadings(slug, { fra: verdict })
        const query = region === null ? {} : { region }
        expect(JSON.parse(memory.status(slug, region))).toEqual(
          isServiceDown(context, { params: { slug }, query }),
        )
      }
    }),
  )
})
