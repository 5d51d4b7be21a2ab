import { collectGarbage } from '@probe-mesh/infra/testing/collect-garbage'
import { expect, test } from 'vitest'
import { anySignal } from './any-signal.ts'

/** Nothing but the signal is left of what is made in here. */
const abortedAndForgotten = (): AbortSignal => {
  const ending = new AbortController()
  const signal = anySignal([ending.signal, new AbortController().signal])
  ending.abort()
  return signal
}

test('a signal is aborted with its source, also when the source is gone by the time it is asked', async () => {
  const signal = abortedAndForgotten()
  const nested = anySignal([abortedAndForgotten(), new AbortController().signal])
  await collectGarbage()
  expect(signal.aborted).toBe(true)
  expect(nested.aborted).toBe(true)
})

test('who listens is told, and of nothing it is never aborted', () => {
  const [first, second] = [new AbortController(), new AbortController()]
  const signal = anySignal([first.signal, second.signal])
  let told = 0
  signal.addEventListener('abort', () => (told += 1))
  expect(signal.aborted).toBe(false)
  second.abort(new Error('over'))
  first.abort()
  expect([told, signal.reason]).toEqual([1, new Error('over')])
  expect(anySignal([]).aborted).toBe(false)
})
