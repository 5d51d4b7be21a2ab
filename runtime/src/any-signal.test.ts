import { collectGarbage } from '@probe-mesh/infra/testing/collect-garbage'
import { expect, test } from 'vitest'
import { anySignal } from './any-signal.ts'

/** Everything except the returned signal can be garbage collected. */
const abortedAndForgotten = (): AbortSignal => {
  const ending = new AbortController()
  const signal = anySignal([ending.signal, new AbortController().signal])
  ending.abort()
  return signal
}

test('is aborted with its source, even if the source is garbage collected before the first read', async () => {
  const signal = abortedAndForgotten()
  const nested = anySignal([abortedAndForgotten(), new AbortController().signal])
  await collectGarbage()
  expect(signal.aborted).toBe(true)
  expect(nested.aborted).toBe(true)
})

test('notifies listeners once, and never aborts without sources', () => {
  const [first, second] = [new AbortController(), new AbortController()]
  const signal = anySignal([first.signal, second.signal])
  let calls = 0
  signal.addEventListener('abort', () => (calls += 1))
  expect(signal.aborted).toBe(false)
  second.abort(new Error('over'))
  first.abort()
  expect([calls, signal.reason]).toEqual([1, new Error('over')])
  expect(anySignal([]).aborted).toBe(false)
})
