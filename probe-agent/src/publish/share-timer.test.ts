import { describe, expect, test } from 'vitest'
import { shareTimer } from './publisher.ts'

/** Timers that the test fires, and its clock. */
const setUp = () => {
  const set: { delayMs: number; fire: () => void; isCancelled: boolean }[] = []
  const clock = { ms: 0 }
  const share = shareTimer(
    (delayMs, fire) => {
      const timer = { delayMs, fire, isCancelled: false }
      set.push(timer)
      return () => void (timer.isCancelled = true)
    },
    () => clock.ms,
  )
  const called: string[] = []
  const ask = (name: string, delayMs = 200) => share(delayMs, () => void called.push(name))
  return { set, clock, called, ask }
}

describe('a shared timer', () => {
  test('calls each callback added while it ran, in order and once', () => {
    const { set, called, ask } = setUp()
    ask('a')
    ask('b')
    expect(set.map(({ delayMs }) => delayMs)).toEqual([200])
    expect(called).toEqual([])
    set[0]?.fire()
    expect(called).toEqual(['a', 'b'])
  })

  test('starts again for callbacks added after it fired, also from a callback', () => {
    const { set, called, ask } = setUp()
    ask('a')
    set[0]?.fire()
    ask('b')
    expect(set).toHaveLength(2)
    set[1]?.fire()
    expect(called).toEqual(['a', 'b'])
  })

  test('does not call a cancelled callback, and calls the others', () => {
    const { set, called, ask } = setUp()
    const callOff = ask('a')
    ask('b')
    callOff()
    set[0]?.fire()
    callOff()
    expect(called).toEqual(['b'])
  })

  test('is shortened for all by a shorter delay, and not by one that ends later', () => {
    const { set, clock, called, ask } = setUp()
    ask('a', 1_000)
    clock.ms = 100
    ask('b', 200)
    clock.ms = 150
    ask('c', 1_000)
    ask('d', 200)
    expect(set).toMatchObject([
      { delayMs: 1_000, isCancelled: true },
      { delayMs: 200, isCancelled: false },
    ])
    clock.ms = 300
    set[1]?.fire()
    expect(called).toEqual(['a', 'b', 'c', 'd'])
    // little is left of it
    ask('e', 1_000)
    clock.ms = 1_200
    ask('f', 200)
    expect(set).toHaveLength(3)
  })
})
