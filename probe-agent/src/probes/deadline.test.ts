import { getEventListeners } from 'node:events'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { startDeadline } from './deadline.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const open = () => new AbortController()

test('a deadline aborts with a timeout', () => {
  const { signal } = startDeadline(100, open().signal)
  vi.advanceTimersByTime(99)
  expect(signal.aborted).toBe(false)
  vi.advanceTimersByTime(1)
  expect(signal.reason).toMatchObject({ name: 'TimeoutError' })
})

test('an earlier stop of the agent keeps its own reason', () => {
  const outer = open()
  const { signal } = startDeadline(100, outer.signal)
  outer.abort('closing')
  expect(signal.reason).toBe('closing')
  expect(startDeadline(100, outer.signal).signal.reason).toBe('closing')
})

test('a cleared deadline leaves no timer and no listener', () => {
  const outer = open()
  const deadline = startDeadline(100, outer.signal)
  deadline.clear()
  expect(vi.getTimerCount()).toBe(0)
  expect(getEventListeners(outer.signal, 'abort')).toEqual([])
  vi.advanceTimersByTime(200)
  expect(deadline.signal.aborted).toBe(false)
})
