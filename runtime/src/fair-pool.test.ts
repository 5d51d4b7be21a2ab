import fc from 'fast-check'
import { forAllAsync } from '@probe-mesh/infra/testing/for-all'
import { describe, expect, test, vi } from 'vitest'
import { createFairPool, type FairPool, type NoPlace, type Place } from './fair-pool.ts'

const bounds = { places: 2, placesOfOwner: 2, waiting: 6, waitingOfOwner: 6 }

const held = (result: Place | NoPlace): Place => {
  if (typeof result === 'string') throw new Error(`no place: ${result}`)
  return result
}
/** Takes a place, records the owner, and releases the place at once. */
const runInTurn = async (pool: FairPool, owner: string, turns: string[]): Promise<void> => {
  const place = held(await pool.take(owner))
  turns.push(owner)
  place.release()
}

describe('turns', () => {
  test('serves the owner that has received least, not the first in the queue', async () => {
    const pool = createFairPool({ ...bounds, places: 1 })
    const turns: string[] = []
    const first = held(await pool.take('hog'))
    const works = ['hog', 'hog', 'hog', 'small', 'hog'].map((owner) => runInTurn(pool, owner, turns))
    first.release()
    await Promise.all(works)
    expect(turns).toEqual(['small', 'hog', 'hog', 'hog', 'hog'])
  })

  test('serves each of 1,000 waiting owners once before any is served twice', async () => {
    const pool = createFairPool({ places: 1, placesOfOwner: 1, waiting: 5_000, waitingOfOwner: 5 })
    const turns: string[] = []
    const first = held(await pool.take('blocker'))
    const works = Array.from({ length: 1_000 }, (_, index) => `account-${index}`).flatMap((owner) =>
      Array.from({ length: 5 }, () => runInTurn(pool, owner, turns)),
    )
    first.release()
    await Promise.all(works)
    for (let round = 0; round < 5; round++) {
      expect(new Set(turns.slice(round * 1_000, (round + 1) * 1_000)).size).toBe(1_000)
    }
  })

  test('counts an expensive work by its cost', async () => {
    const pool = createFairPool({ ...bounds, places: 1, waiting: 20, waitingOfOwner: 10 })
    const turns: string[] = []
    const first = held(await pool.take('costly'))
    const works = Array.from({ length: 3 }, () => [
      runInTurn(pool, 'costly', turns),
      runInTurn(pool, 'cheap', turns),
    ]).flat()
    first.release(10)
    await Promise.all(works)
    expect(turns.slice(0, 3)).toEqual(['cheap', 'cheap', 'cheap'])
  })

  test('does not put a new owner behind others that have received little', () => {
    const pool = createFairPool({ places: 80, placesOfOwner: 64, waiting: 500, waitingOfOwner: 50 })
    const owners = Array.from({ length: 10 }, (_, n) => `owner-${n}`)
    const places = owners.map((owner) => pool.takeNow(owner))
    for (let work = 0; work < 64; work++) places.push(pool.takeNow('hog'))
    for (let work = 0; work < 6; work++) places.push(pool.takeNow('owner-0'))
    const turns: string[] = []
    for (let work = 0; work < 40; work++) {
      for (const owner of owners) pool.enqueue(owner, () => turns.push(owner))
    }
    pool.enqueue('newcomer', () => turns.push('newcomer'))
    for (const place of places.splice(0, 11)) place?.release()
    expect(turns).toContain('newcomer')
  })

  test('serves a waiting owner before an owner that was just served', () => {
    const pool = createFairPool({ ...bounds, places: 1, waiting: 20, waitingOfOwner: 10 })
    const turns: string[] = []
    const wait = (owner: string) =>
      pool.enqueue(owner, (place) => {
        turns.push(owner)
        if (typeof place !== 'string') held(place).release()
      })
    const first = pool.takeNow('served')
    for (let work = 0; work < 2; work++) wait('waits')
    first?.release()
    const second = pool.takeNow('blocker')
    wait('waits')
    wait('served')
    second?.release()
    expect(turns).toEqual(['waits', 'waits', 'served', 'waits'])
  })

  test('gives no credit for idle time', async () => {
    const pool = createFairPool({ ...bounds, places: 1, waiting: 20, waitingOfOwner: 10 })
    const turns: string[] = []
    for (let run = 0; run < 100; run++) held(await pool.take('busy')).release()
    const first = held(await pool.take('busy'))
    const works = ['idler', 'idler', 'idler', 'busy'].map((owner) => runInTurn(pool, owner, turns))
    first.release()
    await Promise.all(works)
    expect(turns.indexOf('busy')).toBeLessThanOrEqual(1)
  })
})

describe('bounds', () => {
  test('limits an owner to its share while other places are free', async () => {
    const pool = createFairPool({ ...bounds, placesOfOwner: 1 })
    const first = pool.takeNow('a')
    expect(first).not.toBeNull()
    expect(pool.takeNow('a')).toBeNull()
    expect(pool.takeNow('b')).not.toBeNull()
    expect(pool.takeNow('c')).toBeNull()
    expect(pool.taken).toBe(2)
  })

  test('frees a place once when it is released twice', () => {
    const pool = createFairPool(bounds)
    const place = pool.takeNow('a')
    place?.release()
    place?.release()
    expect(pool.taken).toBe(0)
  })

  test('refuses and counts waiting works above the share of an owner', async () => {
    const pool = createFairPool({ ...bounds, places: 0, waitingOfOwner: 1 })
    void pool.take('a')
    expect(await pool.take('a')).toBe('full')
    expect(pool.counts).toEqual({ full: 1, displaced: 0, timeout: 0 })
  })

  test('removes the newest work of the largest owner from a full queue for an owner without works', async () => {
    const pool = createFairPool({ ...bounds, places: 0, waiting: 3 })
    const oldest = pool.take('hog')
    void pool.take('hog')
    const newest = pool.take('hog')
    const small = pool.take('small')
    expect(await newest).toBe('full')
    expect(pool.counts.displaced).toBe(1)
    expect(pool.largest(5)).toEqual([
      { owner: 'hog', taken: 0, waiting: 2 },
      { owner: 'small', taken: 0, waiting: 1 },
    ])
    const unsettled = Symbol('waiting')
    expect(await Promise.race([oldest, small, unsettled])).toBe(unsettled)
  })

  test('refuses a work when all places in the queue belong to other owners', async () => {
    const pool = createFairPool({ ...bounds, places: 0, waiting: 2 })
    void pool.take('a')
    void pool.take('b')
    expect(await pool.take('c')).toBe('full')
  })
})

describe('leaving', () => {
  test('ends and counts a wait that times out', async () => {
    vi.useFakeTimers()
    try {
      const pool = createFairPool({ ...bounds, places: 0 })
      const waiting = pool.take('a', { waitMsMax: 50 })
      vi.advanceTimersByTime(50)
      expect(await waiting).toBe('timeout')
      expect(pool.waiting).toBe(0)
      expect(pool.counts.timeout).toBe(1)
    } finally {
      vi.useRealTimers()
    }
  })

  test('keeps the turn of an owner whose wait timed out', async () => {
    vi.useFakeTimers()
    try {
      const pool = createFairPool({ places: 1, placesOfOwner: 1, waiting: 20, waitingOfOwner: 2 })
      /** Each work lasts nearly as long as the wait, and its owner waits again at once. */
      const keepAsking = async (owner: string): Promise<void> => {
        for (let work = 0; work < 40; work++) {
          const place = held(await pool.take(owner))
          await new Promise((resolve) => setTimeout(resolve, 20))
          place.release()
        }
      }
      for (let n = 0; n < 8; n++) void keepAsking(`hog ${n}`)
      await vi.advanceTimersByTimeAsync(50)
      const answers: string[] = []
      for (let time = 0; time < 3; time++) {
        const asking = pool.take('small', { waitMsMax: 22 })
        await vi.advanceTimersByTimeAsync(22)
        const place = await asking
        answers.push(typeof place === 'string' ? place : 'place')
        if (typeof place !== 'string') place.release()
        // a round of the others: it always arrives when most of them are ahead
        await vi.advanceTimersByTimeAsync(8 * 20 - 22)
      }
      // each other owner was served once in the meantime; after the owner is served, its old turn is gone
      expect(answers).toEqual(['timeout', 'place', 'timeout'])
    } finally {
      vi.useRealTimers()
    }
  })

  test('removes an aborted wait from the queue and serves the next', async () => {
    const pool = createFairPool({ ...bounds, places: 1 })
    const first = held(await pool.take('a'))
    const aborting = new AbortController()
    const gone = pool.take('b', { signal: aborting.signal })
    const next = pool.take('c')
    aborting.abort()
    expect(await gone).toBe('stopped')
    first.release()
    held(await next).release()
    expect(await pool.take('d', { signal: aborting.signal })).toBe('stopped')
    expect(pool.taken).toBe(0)
  })
})

test('keeps the bounds, ends every wait and uses every free place, in any order of operations', async () => {
  const Step = fc.oneof(
    fc.record({ act: fc.constant('take' as const), owner: fc.nat(4) }),
    fc.record({ act: fc.constant('release' as const), owner: fc.nat(30) }),
    fc.record({ act: fc.constant('abort' as const), owner: fc.nat(30) }),
  )
  const Bounds = fc.record({
    places: fc.integer({ min: 1, max: 4 }),
    placesOfOwner: fc.integer({ min: 1, max: 3 }),
    waiting: fc.nat(6),
    waitingOfOwner: fc.nat(3),
    kept: fc.nat(2),
    ofOwner: fc.nat(2),
  })
  await forAllAsync([Bounds, fc.array(Step, { maxLength: 60 })], async (drawn, steps) => {
    const { kept, ofOwner, ...rest } = drawn
    const reserve = { places: Math.min(kept, rest.places - 1), ofOwner }
    const limits = kept === 0 ? rest : { ...rest, reserve }
    const open = kept === 0 ? rest.places : rest.places - reserve.places
    const pool = createFairPool(limits)
    const places: Place[] = []
    const aborts: AbortController[] = []
    let settled = 0
    const results: Promise<void>[] = []
    for (const { act, owner } of steps) {
      if (act === 'release') places.splice(owner % Math.max(1, places.length), 1)[0]?.release()
      else if (act === 'abort') aborts.splice(owner % Math.max(1, aborts.length), 1)[0]?.abort()
      else {
        const aborting = new AbortController()
        aborts.push(aborting)
        results.push(
          pool.take(`${owner}`, { signal: aborting.signal }).then((result) => {
            settled++
            if (typeof result !== 'string') places.push(result)
          }),
        )
      }
      await Promise.resolve()
      await Promise.resolve()
      await Promise.resolve()
      expect(pool.taken).toBeLessThanOrEqual(limits.places)
      expect(pool.waiting).toBeLessThanOrEqual(limits.waiting)
      const shares = pool.largest(100)
      for (const share of shares) {
        expect(share.taken).toBeLessThanOrEqual(limits.placesOfOwner)
        expect(share.waiting).toBeLessThanOrEqual(limits.waitingOfOwner)
        const free = share.taken < reserve.ofOwner ? limits.places : open
        const couldBeServed = share.waiting > 0 && share.taken < limits.placesOfOwner
        expect(couldBeServed && pool.taken < free).toBe(false)
      }
      expect(shares.reduce((sum, { taken }) => sum + taken, 0)).toBe(pool.taken)
      expect(shares.reduce((sum, { waiting }) => sum + waiting, 0)).toBe(pool.waiting)
    }
    while (settled < results.length || places.length > 0) {
      for (const place of places.splice(0)) place.release()
      await Promise.resolve()
    }
    expect([pool.taken, pool.waiting, pool.largest(1)]).toEqual([0, 0, []])
  })
})

describe('a reserve', () => {
  const kept = { places: 12, placesOfOwner: 10, waiting: 50, waitingOfOwner: 50 }
  const pooled = () => createFairPool({ ...kept, reserve: { places: 2, ofOwner: 1 } })

  test('serves a new owner at once while one owner has all other places', () => {
    const pool = pooled()
    const places = Array.from({ length: 12 }, () => pool.takeNow('hog'))
    expect(places.filter((place) => place !== null)).toHaveLength(10)
    expect(pool.takeNow('small')).not.toBeNull()
    expect(pool.takeNow('small')).toBeNull()
    expect(pool.takeNow('another')).not.toBeNull()
    expect(pool.takeNow('third')).toBeNull()
  })

  test('serves the owner with the fewest running works next, independent of its turns', async () => {
    const pool = pooled()
    const places = Array.from({ length: 10 }, () => pool.takeNow('hog'))
    for (let turn = 0; turn < 100; turn++) pool.takeNow('small')?.release()
    pool.takeNow('small')
    pool.takeNow('another')
    const turns: string[] = []
    const wait = (owner: string) => pool.enqueue(owner, () => turns.push(owner))
    for (let work = 0; work < 5; work++) wait('hog')
    for (let work = 0; work < 3; work++) wait('small')
    for (const place of places.slice(0, 4)) place?.release()
    expect(turns).toEqual(['small', 'small'])
    expect(pool.largest(2)).toEqual([
      { owner: 'hog', taken: 6, waiting: 5 },
      { owner: 'small', taken: 3, waiting: 1 },
    ])
  })
})

describe('a gate', () => {
  const gated = () => {
    const gate = { left: 0 }
    const pool = createFairPool(bounds, {
      mayBegin: (cost) => cost <= gate.left,
      onBegin: (cost) => {
        gate.left -= cost
      },
    })
    return { gate, pool }
  }

  test('holds works back while places are free, and keeps their order', () => {
    const { gate, pool } = gated()
    expect(pool.takeNow('a', 2)).toBeNull()
    const turns: string[] = []
    pool.enqueue('a', () => turns.push('a'), 2)
    pool.enqueue('b', () => turns.push('b'), 1)
    gate.left = 1
    pool.resume()
    expect(turns).toEqual([])
    expect(pool.takeNow('c', 1)).toBeNull()
    gate.left = 3
    pool.resume()
    expect(turns).toEqual(['a', 'b'])
    expect(gate.left).toBe(0)
  })
})

test('makes room in a full queue for an owner with fewer waiting works, until all are equal', () => {
  const pool = createFairPool({ places: 0, placesOfOwner: 0, waiting: 10, waitingOfOwner: 10 })
  for (let work = 0; work < 10; work++) pool.enqueue('hog', () => undefined)
  const taken = Array.from({ length: 10 }, () => pool.enqueue('small', () => undefined))
  expect(taken.filter((end) => end !== null)).toHaveLength(5)
  expect(pool.largest(2).map(({ waiting }) => waiting)).toEqual([5, 5])
})

test('does not recurse when works end immediately', () => {
  const pool = createFairPool({
    places: 1,
    placesOfOwner: 1,
    waiting: 50_000,
    waitingOfOwner: 50_000,
  })
  const first = pool.takeNow('a')
  let served = 0
  for (let work = 0; work < 50_000; work++) {
    pool.enqueue('a', (place) => {
      served++
      if (typeof place !== 'string') place.release()
    })
  }
  first?.release()
  expect([served, pool.taken, pool.waiting]).toEqual([50_000, 0, 0])
})

test('counts the places of one owner', () => {
  const pool = createFairPool({ places: 3, placesOfOwner: 2, waiting: 0, waitingOfOwner: 0 })
  const place = pool.takeNow('a')
  pool.takeNow('a')
  pool.takeNow('b')
  expect(['a', 'b', 'c'].map(pool.takenOf)).toEqual([2, 1, 0])
  place?.release()
  expect(pool.takenOf('a')).toBe(1)
})

test('forgets idle owners and keeps the counts of the others', () => {
  const pool = createFairPool({ places: 2, placesOfOwner: 1, waiting: 10, waitingOfOwner: 10 })
  const place = pool.takeNow('stays')
  for (let n = 0; n < 30_000; n++) pool.takeNow(`passes ${n}`)?.release(2)
  expect([pool.taken, pool.takenOf('stays')]).toEqual([1, 1])
  expect(pool.takeNow('stays')).toBeNull()
  expect(pool.largest(10)).toEqual([{ owner: 'stays', taken: 1, waiting: 0 }])
  place?.release()
  expect(pool.takeNow('stays')).not.toBeNull()
})
