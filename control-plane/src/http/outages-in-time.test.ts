import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { answersOf } from '../answers/testing.ts'
import type { Outage } from '../outage/past-outages.ts'
import { readOutagesInTime } from './outages-in-time.ts'

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

const input = { params: { slug: 'github' } }

test('a time series that is slow does not hold up the page', async () => {
  const context = answersOf({ outagesOf: () => new Promise<Outage[]>(() => {}) })
  const read = readOutagesInTime(context, input)
  await vi.advanceTimersByTimeAsync(3_000)
  expect(await read).toBeNull()
})

test('one that answers within three seconds is waited for', async () => {
  const { promise, resolve } = Promise.withResolvers<Outage[]>()
  const read = readOutagesInTime(answersOf({ outagesOf: () => promise }), input)
  await vi.advanceTimersByTimeAsync(2_999)
  resolve([])
  expect((await read)?.incidents).toEqual([])
})

test('an error of ours is not mistaken for a store that is away', async () => {
  const context = answersOf({ outagesOf: () => Promise.reject(new Error('a bug')) })
  await expect(readOutagesInTime(context, input)).rejects.toThrow('a bug')
})
