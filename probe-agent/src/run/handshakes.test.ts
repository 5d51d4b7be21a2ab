import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { handshakeWaitMsMax } from '../slots/run.ts'
import { createHandshakes } from './handshakes.ts'
import type { Handshake, Handshakes } from './handshakes.ts'

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }))
afterEach(() => void vi.useRealTimers())

const open = new AbortController().signal
const held = (handshake: Handshake | string): Handshake => {
  if (typeof handshake === 'string') throw new Error(handshake)
  return handshake
}

/** The end of a turn of the event loop. */
const turn = () => new Promise<void>((resolve) => setImmediate(resolve))
const begun = async (handshakes: Handshakes): Promise<Handshake> => {
  const beginning = handshakes.begin(open, 1)
  await turn()
  return held(await beginning)
}

describe('handshakes begin', () => {
  test.each([
    [1, [6, 12, 18]],
    [3, [2, 4, 6]],
    [4, [1, 2, 3]],
    [9, [1, 2, 3]],
  ])('a few in a turn of the loop, of work %i: %j', async (work, expected) => {
    const handshakes = createHandshakes()
    const beginning = Array.from({ length: 20 }, () => handshakes.begin(open, work))
    const counts: number[] = []
    for (const _ of expected) {
      counts.push(handshakes.inProgress)
      await turn()
    }
    expect(counts).toEqual(expected)
    while (handshakes.waiting > 0) await turn()
    await Promise.all(beginning)
  })

  test('in the order of asking, also behind one whose work does not fit this turn', async () => {
    const handshakes = createHandshakes()
    const order: number[] = []
    const works = [5, 4, 1]
    const beginning = works.map(async (work) => {
      await handshakes.begin(open, work)
      order.push(work)
    })
    await Promise.all(beginning)
    expect(order).toEqual(works)
  })
})

describe('handshakes in progress', () => {
  test('are never more than allowed, and the next begins when one ends', async () => {
    const handshakes = createHandshakes(2)
    const first = await begun(handshakes)
    await begun(handshakes)
    const third = handshakes.begin(open, 1)
    await turn()
    expect([handshakes.inProgress, handshakes.waiting]).toEqual([2, 1])
    first.release()
    held(await third)
    expect([handshakes.inProgress, handshakes.waiting]).toEqual([2, 0])
  })

  test('begin in the order in which they were asked for', async () => {
    const handshakes = createHandshakes(1)
    const current = await begun(handshakes)
    const order: number[] = []
    const waiting = [1, 2, 3].map(async (n) => {
      const mine = held(await handshakes.begin(open, 1))
      order.push(n)
      mine.release()
    })
    current.release()
    await Promise.all(waiting)
    expect(order).toEqual([1, 2, 3])
    await begun(handshakes)
    expect(handshakes.inProgress).toBe(1)
  })

  test('that are released twice count once', async () => {
    const handshakes = createHandshakes(2)
    const first = await begun(handshakes)
    await begun(handshakes)
    first.release()
    first.release()
    expect(handshakes.inProgress).toBe(1)
  })

  test('that take long give up their place, so that dead targets stop nobody', async () => {
    const handshakes = createHandshakes(1)
    const slow = await begun(handshakes)
    const next = handshakes.begin(open, 1)
    await vi.advanceTimersByTimeAsync(1_000)
    held(await next)
    slow.release()
    expect(handshakes.inProgress).toBe(1)
  })
})

describe('the wait for a handshake', () => {
  test('is bounded', async () => {
    const handshakes = createHandshakes(0)
    const waiting = handshakes.begin(open, 1)
    await vi.advanceTimersByTimeAsync(handshakeWaitMsMax - 1)
    expect(handshakes.waiting).toBe(1)
    await vi.advanceTimersByTimeAsync(1)
    expect(await waiting).toBe('overloaded')
    expect(handshakes.waiting).toBe(0)
  })

  test('has a bound on how many wait', async () => {
    const handshakes = createHandshakes(0)
    const waiting = Array.from({ length: 10_000 }, () => handshakes.begin(open, 1))
    expect(await handshakes.begin(open, 1)).toBe('overloaded')
    await vi.advanceTimersByTimeAsync(handshakeWaitMsMax)
    expect(new Set(await Promise.all(waiting))).toEqual(new Set(['overloaded']))
  })

  test('ends with the agent, and who left takes no place', async () => {
    const handshakes = createHandshakes(1)
    const first = await begun(handshakes)
    const stop = new AbortController()
    const leaving = handshakes.begin(stop.signal, 1)
    const staying = handshakes.begin(open, 1)
    stop.abort()
    expect(await leaving).toBe('stopped')
    first.release()
    held(await staying)
    expect([handshakes.inProgress, handshakes.waiting]).toEqual([1, 0])
    expect(await handshakes.begin(stop.signal, 1)).toBe('stopped')
  })
})
