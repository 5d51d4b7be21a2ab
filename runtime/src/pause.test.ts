import { expect, test, vi } from 'vitest'
import { pause } from './pause.ts'

test('resolves when the time has passed, and not before', async () => {
  vi.useFakeTimers()
  try {
    let isOver = false
    const waiting = pause(1_000).then(() => {
      isOver = true
    })
    await vi.advanceTimersByTimeAsync(999)
    expect(isOver).toBe(false)
    await vi.advanceTimersByTimeAsync(1)
    await waiting
  } finally {
    vi.useRealTimers()
  }
})

test('resolves at once when the signal aborts, and leaves no timer behind', async () => {
  vi.useFakeTimers()
  try {
    const ending = new AbortController()
    const waiting = pause(60_000, ending.signal)
    ending.abort()
    await waiting
    await pause(60_000, ending.signal)
    expect(vi.getTimerCount()).toBe(0)
  } finally {
    vi.useRealTimers()
  }
})
