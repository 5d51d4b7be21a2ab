import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createPlaces } from './places.ts'
import type { Place } from './places.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const never = new AbortController().signal
const isPlace = (taken: Place | string): taken is Place => typeof taken !== 'string'

test('places are given in the order of asking, as they come free', async () => {
  const places = createPlaces(1, 1_000)
  const first = await places.take(never)
  const order: number[] = []
  const waiting = [2, 3].map(async (n) => {
    const place = await places.take(never)
    order.push(n)
    if (isPlace(place)) place.release()
  })
  expect([places.taken, order]).toEqual([1, []])
  if (isPlace(first)) {
    first.release()
    first.release()
  }
  await Promise.all(waiting)
  expect([places.taken, order]).toEqual([0, [2, 3]])
})

test('who waits too long is told, and so is who is stopped', async () => {
  const places = createPlaces(1, 1_000)
  await places.take(never)
  const controller = new AbortController()
  const late = places.take(never)
  const stopped = places.take(controller.signal)
  controller.abort()
  expect(await stopped).toBe('stopped')
  await vi.advanceTimersByTimeAsync(1_000)
  expect(await late).toBe('overloaded')
  expect(await places.take(controller.signal)).toBe('stopped')
})

test('a queue that is too long takes nobody', async () => {
  const places = createPlaces(1, 1_000)
  await places.take(never)
  const waiting = Array.from({ length: 64 }, () => places.take(never))
  expect(await places.take(never)).toBe('overloaded')
  await vi.advanceTimersByTimeAsync(1_000)
  expect(new Set(await Promise.all(waiting))).toEqual(new Set(['overloaded']))
})
