import { expect, test } from 'vitest'
import { createExpiringCache } from './expiring-cache.ts'

const setUp = (entriesMax = 10) => {
  const clock = { ms: 0 }
  const cache = createExpiringCache<string>({ now: () => clock.ms, ageMsMax: 1_000, entriesMax })
  let loads = 0
  const load = (key: string, value: string, asker = 'me') =>
    cache.load(key, asker, async () => {
      loads += 1
      return { keep: value, value }
    })
  return { clock, cache, load, loads: () => loads }
}

test('returns a value until it expires', async () => {
  const { clock, cache, load } = setUp()
  await load('a', 'one')
  clock.ms = 1_000
  expect(cache.peek('a')).toBe('one')
  clock.ms = 1_001
  expect(cache.peek('a')).toBeUndefined()
})

test('counts the age from the start of the load', async () => {
  const { clock, cache } = setUp()
  await cache.load('a', 'me', async () => {
    clock.ms = 900
    return { keep: 'slow', value: 'slow' }
  })
  clock.ms = 1_001
  expect(cache.peek('a')).toBeUndefined()
})

test('shares a load among concurrent calls of one caller, not with another caller', async () => {
  const { load, loads } = setUp()
  const values = await Promise.all([load('a', 'x'), load('a', 'y'), load('a', 'z', 'other')])
  expect(values).toEqual(['x', 'x', 'z'])
  expect(loads()).toBe(2)
})

test('neither caches nor shares a load that started before a drop', async () => {
  const { cache } = setUp()
  const gate = Promise.withResolvers<undefined>()
  const before = cache.load('a', 'me', async () => {
    await gate.promise
    return { keep: 'before', value: 'before' }
  })
  cache.drop('a')
  const after = cache.load('a', 'me', async () => ({ keep: 'after', value: 'after' }))
  gate.resolve(undefined)
  expect(await Promise.all([before, after])).toEqual(['before', 'after'])
  expect(cache.peek('a')).toBe('after')
})

test('loads again after a failure and after a value that must not be cached', async () => {
  const { cache, load } = setUp()
  expect(await cache.load('a', 'me', async () => ({ keep: null, value: 'refusal' }))).toBe('refusal')
  await expect(
    cache.load('a', 'me', async () => {
      throw new Error('away')
    }),
  ).rejects.toThrow('away')
  expect(cache.peek('a')).toBeUndefined()
  expect(await load('a', 'good')).toBe('good')
})

test('keeps at most the allowed number of values and deletes the oldest first', async () => {
  const { cache, load } = setUp(2)
  for (const key of ['a', 'b', 'a', 'c']) await load(key, key)
  expect(cache.size()).toBe(2)
  expect([cache.peek('a'), cache.peek('b'), cache.peek('c')]).toEqual(['a', undefined, 'c'])
})
