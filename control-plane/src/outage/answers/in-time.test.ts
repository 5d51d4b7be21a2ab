import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { inTime } from './get-service-page.ts'

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

test('a time series that is slow does not hold up the page', async () => {
  const read = inTime(new Promise<string[]>(() => {}))
  await vi.advanceTimersByTimeAsync(3_000)
  expect(await read).toBeNull()
})

test('one that answers within three seconds is waited for', async () => {
  const { promise, resolve } = Promise.withResolvers<string[]>()
  const read = inTime(promise)
  await vi.advanceTimersByTimeAsync(2_999)
  resolve([])
  expect(await read).toEqual([])
})

test('a store that is away, even after its time is over, is no error of ours', async () => {
  const away = Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' })
  expect(await inTime(Promise.reject(away))).toBeNull()
  const { promise, reject } = Promise.withResolvers<string[]>()
  const read = inTime(promise)
  await vi.advanceTimersByTimeAsync(3_000)
  reject(new Error('late'))
  expect(await read).toBeNull()
})

test('an error of ours is not mistaken for a store that is away', async () => {
  await expect(inTime(Promise.reject(new Error('a bug')))).rejects.toThrow('a bug')
})
