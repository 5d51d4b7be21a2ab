import { expect, test, vi } from 'vitest'
import { createLookups } from './lookups.ts'

/** Lookups that the test completes. */
const held = (bounds: Partial<Parameters<typeof createLookups>[1]> = {}) => {
  const begun: string[] = []
  const ends: (() => void)[] = []
  const signals: AbortSignal[] = []
  const lookups = createLookups(
    (host, signal) => {
      begun.push(host)
      signals.push(signal)
      return new Promise((resolve) => ends.push(resolve))
    },
    { lookupsMax: 2, waitingMax: 3, lookupMsMax: 60_000, ...bounds },
  )
  return { lookups, begun, signals, end: (index: number) => ends[index]?.() }
}

test('runs a limited number at once, and the others in order', async () => {
  const { lookups, begun, end } = held()
  for (const host of ['a', 'b', 'c', 'd']) lookups.request(host)
  expect(begun).toEqual(['a', 'b'])
  end(1)
  await vi.waitFor(() => expect(begun).toEqual(['a', 'b', 'c']))
  end(0)
  await vi.waitFor(() => expect(begun).toEqual(['a', 'b', 'c', 'd']))
})

test('does not repeat a queued or running lookup; a finished one may run again', async () => {
  const { lookups, begun, end } = held({ lookupsMax: 1 })
  for (const host of ['a', 'a', 'b', 'a', 'b']) lookups.request(host)
  end(0)
  await vi.waitFor(() => expect(begun).toEqual(['a', 'b']))
  lookups.request('a')
  end(1)
  await vi.waitFor(() => expect(begun).toEqual(['a', 'b', 'a']))
  expect(lookups.counts).toEqual({ begun: 3, dropped: 0 })
})

test('drops and counts a lookup when the queue is full', () => {
  const { lookups, begun } = held({ lookupsMax: 1, waitingMax: 2 })
  for (const host of ['a', 'b', 'c']) lookups.request(host)
  expect(lookups.counts.dropped).toBe(0)
  lookups.request('d')
  expect(lookups.counts).toEqual({ begun: 1, dropped: 1 })
  expect(begun).toEqual(['a'])
})

test('one that takes too long is aborted', async () => {
  const { lookups, signals } = held({ lookupMsMax: 10 })
  lookups.request('a')
  await vi.waitFor(() => expect(signals[0]?.aborted).toBe(true))
})

test('closing aborts running lookups, drops queued ones and starts none', async () => {
  const { lookups, begun, signals, end } = held({ lookupsMax: 1 })
  lookups.request('a')
  lookups.request('b')
  lookups.close()
  lookups.request('c')
  expect(signals[0]?.aborted).toBe(true)
  end(0)
  await new Promise(setImmediate)
  expect(begun).toEqual(['a'])
})
