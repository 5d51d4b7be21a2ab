import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { inTime } from './get-service-page.ts'

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

test('a slow ClickHouse delays the page by at most three seconds', async () => {
  const read = inTime(new Promise<string[]>(() => {}))
  await vi.advanceTimersByTimeAsync(3_000)
  expect(await read).toBeNull()
})

test('the page waits up to three seconds for the past', async () => {
  const { promise, resolve } = Promise.withResolvers<string[]>()
  const read = inTime(promise)
  await vi.advanceTimersByTimeAsync(2_999)
  resolve([])
  expect(await read).toEqual([])
})

test('the page has no past while ClickHouse is unavailable, even if it fails after the limit', async () => {
  const unavailable = Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' })
  expect(await inTime(Promise.reject(unavailable))).toBeNull()
  const { promise, reject } = Promise.withResolvers<string[]>()
  const read = inTime(promise)
  await vi.advanceTimersByTimeAsync(3_000)
  reject(new Error('late'))
  expect(await read).toBeNull()
})

test('the page throws the error of a statement that ClickHouse refuses', async () => {
  await expect(inTime(Promise.reject(new Error('a bug')))).rejects.toThrow('a bug')
})
