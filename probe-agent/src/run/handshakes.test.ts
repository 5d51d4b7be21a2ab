import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { handshakeWaitMsMax } from '../slots/run.ts'
import { createHandshakes } from './handshakes.ts'
import type { Handshake } from './handshakes.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const open = new AbortController().signal
const held = (handshake: Handshake | string): Handshake => {
  if (typeof handshake === 'string') throw new Error(handshake)
  return handshake
}

describe('handshakes in progress', () => {
  test('are never more than allowed, and the next begins when one ends', async () => {
    const handshakes = createHandshakes(2)
    const first = held(await handshakes.begin(open))
    held(await handshakes.begin(open))
    const third = handshakes.begin(open)
    expect([handshakes.inProgress, handshakes.waiting]).toEqual([2, 1])
    first.release()
    held(await third)
    expect([handshakes.inProgress, handshakes.waiting]).toEqual([2, 0])
  })

  test('begin in the order in which they were asked for', async () => {
    const handshakes = createHandshakes(1)
    let current = held(await handshakes.begin(open))
    const order: number[] = []
    const waiting = [1, 2, 3].map(async (n) => {
      const mine = held(await handshakes.begin(open))
      order.push(n)
      mine.release()
    })
    current.release()
    await Promise.all(waiting)
    expect(order).toEqual([1, 2, 3])
    current = held(await handshakes.begin(open))
    expect(handshakes.inProgress).toBe(1)
  })

  test('that are released twice count once', async () => {
    const handshakes = createHandshakes(2)
    const first = held(await handshakes.begin(open))
    held(await handshakes.begin(open))
    first.release()
    first.release()
    expect(handshakes.inProgress).toBe(1)
  })

  test('that take long give up their place, so that dead targets stop nobody', async () => {
    const handshakes = createHandshakes(1)
    const slow = held(await handshakes.begin(open))
    const next = handshakes.begin(open)
    await vi.advanceTimersByTimeAsync(1_000)
    held(await next)
    slow.release()
    expect(handshakes.inProgress).toBe(1)
  })
})

describe('the wait for a handshake', () => {
  test('is bounded', async () => {
    const handshakes = createHandshakes(0)
    const waiting = handshakes.begin(open)
    await vi.advanceTimersByTimeAsync(handshakeWaitMsMax - 1)
    expect(handshakes.waiting).toBe(1)
    await vi.advanceTimersByTimeAsync(1)
    expect(await waiting).toBe('overloaded')
    expect(handshakes.waiting).toBe(0)
  })

  test('has a bound on how many wait', async () => {
    const handshakes = createHandshakes(0)
    const waiting = Array.from({ length: 10_000 }, () => handshakes.begin(open))
    expect(await handshakes.begin(open)).toBe('overloaded')
    await vi.advanceTimersByTimeAsync(handshakeWaitMsMax)
    expect(new Set(await Promise.all(waiting))).toEqual(new Set(['overloaded']))
  })

  test('ends with the agent, and who left takes no place', async () => {
    const handshakes = createHandshakes(1)
    const first = held(await handshakes.begin(open))
    const stop = new AbortController()
    const leaving = handshakes.begin(stop.signal)
    const staying = handshakes.begin(open)
    stop.abort()
    expect(await leaving).toBe('stopped')
    first.release()
    held(await staying)
    expect([handshakes.inProgress, handshakes.waiting]).toEqual([1, 0])
    expect(await handshakes.begin(stop.signal)).toBe('stopped')
  })
})
