import { describe, expect, test } from 'vitest'
import { shareTimer } from './publisher.ts'

/** Timers that the test fires. */
const setUp = () => {
  const set: { delayMs: number; fire: () => void }[] = []
  const share = shareTimer((delayMs, fire) => {
    set.push({ delayMs, fire })
    return () => undefined
  })
  const called: string[] = []
  const ask = (name: string) => share(200, () => void called.push(name))
  return { set, called, ask }
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
})
