import { limits } from '@probe-mesh/contracts/schema/limits'
import { agentPools } from '@probe-mesh/contracts/agent/agent-pools'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { createHandshakes, type Handshake, type Handshakes } from './handshakes.ts'

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }))
afterEach(() => void vi.useRealTimers())

const open = new AbortController().signal
/** Without reserved places. */
const withPlaces = (places: number) => {
  const { reserve: _kept, ...bounds } = agentPools.handshakes.bounds
  return createHandshakes({ ...bounds, places })
}
const held = (handshake: Handshake | string): Handshake => {
  if (typeof handshake === 'string') throw new Error(handshake)
  return handshake
}

/** The end of a turn of the event loop. */
const turn = () => new Promise<void>((resolve) => setImmediate(resolve))
const begun = async (handshakes: Handshakes): Promise<Handshake> => {
  const beginning = handshakes.begin('a', open, 1)
  await turn()
  return held(await beginning)
}

describe('handshakes start', () => {
  test.each([
    [1, [6, 12, 18]],
    [3, [2, 4, 6]],
    [4, [1, 2, 3]],
    [9, [1, 2, 3]],
  ])('a few per turn of the loop, of work %i: %j', async (work, expected) => {
    const handshakes = createHandshakes()
    const beginning = Array.from({ length: 20 }, () => handshakes.begin('a', open, work))
    const counts: number[] = []
    for (const _ of expected) {
      counts.push(handshakes.inProgress)
      await turn()
    }
    expect(counts).toEqual(expected)
    while (handshakes.waiting > 0) await turn()
    await Promise.all(beginning)
  })

  test('in the order of requests, also after one whose work does not fit this turn', async () => {
    const handshakes = createHandshakes()
    const order: number[] = []
    const works = [5, 4, 1]
    const beginning = works.map(async (work) => {
      await handshakes.begin('a', open, work)
      order.push(work)
    })
    await Promise.all(beginning)
    expect(order).toEqual(works)
  })
})

describe('handshakes in progress', () => {
  test('never exceed the limit, and the next starts when one ends', async () => {
    const handshakes = withPlaces(2)
    const first = await begun(handshakes)
    await begun(handshakes)
    const third = handshakes.begin('a', open, 1)
    await turn()
    expect([handshakes.inProgress, handshakes.waiting]).toEqual([2, 1])
    first.release()
    held(await third)
    expect([handshakes.inProgress, handshakes.waiting]).toEqual([2, 0])
  })

  test('start in the order of their requests', async () => {
    const handshakes = withPlaces(1)
    const current = await begun(handshakes)
    const order: number[] = []
    const waiting = [1, 2, 3].map(async (n) => {
      const mine = held(await handshakes.begin('a', open, 1))
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
    const handshakes = withPlaces(2)
    const first = await begun(handshakes)
    await begun(handshakes)
    first.release()
    first.release()
    expect(handshakes.inProgress).toBe(1)
  })

  test('that take long release their place, so that dead targets block no others', async () => {
    const handshakes = withPlaces(1)
    const slow = await begun(handshakes)
    const next = handshakes.begin('a', open, 1)
    await vi.advanceTimersByTimeAsync(1_000)
    held(await next)
    slow.release()
    expect(handshakes.inProgress).toBe(1)
  })
})

describe('the wait for a handshake', () => {
  test('has a limit', async () => {
    const handshakes = withPlaces(0)
    const waiting = handshakes.begin('a', open, 1)
    await vi.advanceTimersByTimeAsync(limits.handshakeWaitMsMax - 1)
    expect(handshakes.waiting).toBe(1)
    await vi.advanceTimersByTimeAsync(1)
    expect(await waiting).toBe('overloaded')
    expect(handshakes.waiting).toBe(0)
  })

  test('has a limit for the queue', async () => {
    const handshakes = withPlaces(0)
    const waiting = Array.from({ length: 10_000 }, () => handshakes.begin('a', open, 1))
    expect(await handshakes.begin('a', open, 1)).toBe('overloaded')
    await vi.advanceTimersByTimeAsync(limits.handshakeWaitMsMax)
    expect(new Set(await Promise.all(waiting))).toEqual(new Set(['overloaded']))
  })

  test('ends with the agent, and an aborted one takes no place', async () => {
    const handshakes = withPlaces(1)
    const first = await begun(handshakes)
    const stop = new AbortController()
    const leaving = handshakes.begin('a', stop.signal, 1)
    const staying = handshakes.begin('a', open, 1)
    stop.abort()
    expect(await leaving).toBe('stopped')
    first.release()
    held(await staying)
    expect([handshakes.inProgress, handshakes.waiting]).toEqual([1, 0])
    expect(await handshakes.begin('a', stop.signal, 1)).toBe('stopped')
  })
})

describe('several accounts', () => {
  const { bounds } = agentPools.handshakes
  /** Waits some turns of the loop until this many are in progress. */
  const untilBegun = async (handshakes: Handshakes, count: number): Promise<void> => {
    while (handshakes.inProgress < count) await turn()
  }

  test('a single one gets all places except the reserved ones', async () => {
    const handshakes = createHandshakes()
    for (let n = 0; n < 600; n++) void handshakes.begin('alone', open, 1)
    await untilBegun(handshakes, bounds.placesOfOwner)
    for (let n = 0; n < 10; n++) await turn()
    expect([handshakes.inProgress, handshakes.waiting]).toEqual([512, 88])
  })

  test('another starts at once while one has thousands waiting for hanging targets', async () => {
    const handshakes = createHandshakes()
    for (let n = 0; n < 5_000; n++) void handshakes.begin('hog', open, 1)
    await untilBegun(handshakes, bounds.placesOfOwner)
    held(await handshakes.begin('small', open, 4))
    expect(handshakes.inProgress).toBe(513)
  })

  test('each of 1,000 starts once before any starts twice', async () => {
    const handshakes = createHandshakes({
      ...bounds,
      places: 1,
      reserve: { places: 0, ofOwner: 0 },
    })
    const current = await begun(handshakes)
    const order: number[] = []
    const beginning = Array.from({ length: 3_000 }, async (_, n) => {
      const mine = held(await handshakes.begin(`account-${n % 1_000}`, open, 1))
      order.push(n % 1_000)
      mine.release()
    })
    current.release()
    while (handshakes.waiting > 0) await turn()
    await Promise.all(beginning)
    for (const from of [0, 1_000, 2_000]) {
      expect(new Set(order.slice(from, from + 1_000)).size).toBe(1_000)
    }
  })

  test('a full queue has room for an account with few waiting', async () => {
    const handshakes = withPlaces(0)
    const waiting = Array.from({ length: 10_000 }, () => handshakes.begin('hog', open, 1))
    const small = handshakes.begin('small', open, 1)
    expect(await waiting.at(-1)).toBe('overloaded')
    expect(handshakes.waiting).toBe(10_000)
    await vi.advanceTimersByTimeAsync(limits.handshakeWaitMsMax)
    expect(await small).toBe('overloaded')
  })
})
