import { requestPools } from '@probe-mesh/contracts/api/request-pools'
import { describe, expect, test } from 'vitest'
import { createPingQueue } from './ping-queue.ts'
import type { KeyedPing } from './record-pings.ts'

const pingOf = (pingKey: string): KeyedPing => ({
  pingKey,
  kind: 'success',
  rid: null,
  exitCode: null,
  message: null,
  atMs: 0,
})

/** A store that writes when the test allows it. */
const heldStore = (refuse: (pingKey: string) => Error | null = () => null) => {
  const batches: string[][] = []
  const gates: (() => void)[] = []
  let isOpen = false
  return {
    batches,
    open: () => {
      isOpen = true
      for (const gate of gates) gate()
    },
    record: async (pings: readonly KeyedPing[]) => {
      batches.push(pings.map(({ pingKey }) => pingKey))
      if (!isOpen) await new Promise<void>((resolve) => gates.push(resolve))
      for (const { pingKey } of pings) {
        const refused = refuse(pingKey)
        if (refused !== null) throw refused
      }
      return new Map(
        pings.flatMap(({ pingKey }) => (pingKey === 'nobody' ? [] : [[pingKey, 'recorded' as const]])),
      )
    },
  }
}

describe('pings', () => {
  test('pings that arrive during a write share the next write, in order', async () => {
    const store = heldStore()
    const queue = createPingQueue(store.record)
    const answers = ['a', 'b', 'nobody', 'a'].map((key) => queue.take(pingOf(key), 'network'))
    store.open()
    expect(await Promise.all(answers)).toEqual(['recorded', 'recorded', 'unknown', 'recorded'])
    expect(store.batches).toEqual([['a'], ['b', 'nobody', 'a']])
    await queue.close()
  })

  test('a ping that cannot be recorded does not fail the others', async () => {
    const store = heldStore((key) => (key === 'poison' ? new Error('no') : null))
    const queue = createPingQueue(store.record)
    const keys = ['a', 'b', 'c', 'poison', 'd', 'e']
    const answers = keys.map((key) => queue.take(pingOf(key), 'network'))
    store.open()
    const settled = await Promise.allSettled(answers)
    expect(settled.map(({ status }) => status)).toEqual([
      'fulfilled',
      'fulfilled',
      'fulfilled',
      'rejected',
      'fulfilled',
      'fulfilled',
    ])
  })

  test('while the database is unavailable, a batch fails without retrying each ping', async () => {
    const away = Object.assign(new Error('away'), { code: 'ECONNREFUSED' })
    const store = heldStore(() => away)
    const queue = createPingQueue(store.record)
    const answers = ['a', 'b', 'c', 'd'].map((key) => queue.take(pingOf(key), 'network'))
    store.open()
    const settled = await Promise.allSettled(answers)
    expect(settled.every(({ status }) => status === 'rejected')).toBe(true)
    expect(store.batches).toEqual([['a'], ['b', 'c', 'd']])
  })

  const { places, waitingOfOwner, waiting } = requestPools.pings.bounds

  test('refuses pings beyond the share of a network; closing waits for the rest', async () => {
    const store = heldStore()
    const queue = createPingQueue(store.record)
    const count = places + waitingOfOwner
    const taken = Array.from({ length: count }, () => queue.take(pingOf('a'), 'one'))
    expect(await queue.take(pingOf('a'), 'one')).toBe('full')
    // one was taken for the first write
    expect([queue.waiting, queue.refused]).toEqual([count - 1, 1])
    store.open()
    await queue.close()
    expect(new Set(await Promise.all(taken))).toEqual(new Set(['recorded']))
    expect(Math.max(...store.batches.map((batch) => batch.length))).toBe(500)
  })

  test('a flood from some networks does not delay the ping of another one', async () => {
    const store = heldStore()
    const queue = createPingQueue(store.record)
    const floods = Array.from({ length: places + waiting }, (_, at) =>
      queue.take(pingOf('flood'), `flood-${at % 3}`),
    )
    const own = queue.take(pingOf('own'), 'own')
    store.open()
    expect(await own).toBe('recorded')
    const written = store.batches.flat().indexOf('own')
    expect(written).toBeLessThanOrEqual(places + 4)
    await queue.close()
    await Promise.all(floods)
  })
})
