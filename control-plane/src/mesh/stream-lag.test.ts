import type { StreamConsumer } from '@probe-mesh/bus/port'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { streamLagOf, type Consumers } from './bus-metrics.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

type Lag = StreamConsumer['lag']
const consumersOf = (lags: Readonly<Record<number, Lag>>): Consumers =>
  new Map(
    Object.entries(lags).map(([partition, lag]) => [
      Number(partition),
      { consumer: { lag } as StreamConsumer },
    ]),
  )
const says =
  (messages: number): Lag =>
  () =>
    Promise.resolve({ messages, bytes: 10 * messages })
const isAway: Lag = () => Promise.reject(new Error('the bus is away'))
const never: Lag = () => new Promise(() => {})

test('reports the lag of each partition consumed here, including zero', async () => {
  const lags = streamLagOf(consumersOf({ 3: says(7), 9: says(0) }))
  expect(await lags()).toEqual(
    new Map([
      [3, 7],
      [9, 0],
    ]),
  )
  expect(vi.getTimerCount()).toBe(0)
})

test('leaves out a partition whose lag cannot be read, because it is not known to be empty', async () => {
  expect(await streamLagOf(consumersOf({ 3: says(7), 4: isAway }))()).toEqual(new Map([[3, 7]]))
  expect(await streamLagOf(consumersOf({}))()).toEqual(new Map())
})

test('waits one second for a partition that does not answer, then leaves it out', async () => {
  const answered = vi.fn<(lags: ReadonlyMap<number, number>) => void>()
  void streamLagOf(consumersOf({ 3: says(7), 4: never }))().then(answered)
  await vi.advanceTimersByTimeAsync(999)
  expect(answered).not.toHaveBeenCalled()
  await vi.advanceTimersByTimeAsync(1)
  expect(answered).toHaveBeenCalledWith(new Map([[3, 7]]))
})

test('queries a newly acquired partition the next time', async () => {
  const held = new Map(consumersOf({ 3: says(7) }))
  const lags = streamLagOf(held)
  await lags()
  for (const [partition, one] of consumersOf({ 5: says(1) })) held.set(partition, one)
  held.delete(3)
  expect(await lags()).toEqual(new Map([[5, 1]]))
})
