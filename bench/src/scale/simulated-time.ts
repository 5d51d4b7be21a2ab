import { createDueHeap } from '@probe-mesh/probe-agent/schedule/due-heap'

/** A clock that moves only when it is told to, and the timers that wait on it. */
export type SimulatedTime = {
  /** Unix ms */
  now(): number
  /** Calls once after a delay in ms; returns how to call it off. */
  setTimer(delayMs: number, callback: () => void): () => void
  /** Calls what is due before an instant (Unix ms), in order, each at its own; then it is that instant. */
  runUntil(untilMs: number): void
}

export const createSimulatedTime = (fromMs: number): SimulatedTime => {
  const heap = createDueHeap()
  const waiting: ({ callback: () => void } | null)[] = []
  const free: number[] = []
  let nowMs = fromMs

  const take = (number: number): void => {
    heap.remove(number)
    waiting[number] = null
    free.push(number)
  }
  return {
    now: () => nowMs,
    setTimer: (delayMs, callback) => {
      const timer = { callback }
      const number = free.pop() ?? waiting.length
      waiting[number] = timer
      heap.set(number, nowMs + delayMs)
      return () => {
        if (waiting[number] === timer) take(number)
      }
    },
    runUntil: (untilMs) => {
      for (;;) {
        const number = heap.first()
        const timer = number < 0 ? null : waiting[number]
        if (timer === null || timer === undefined || heap.dueAt(number) >= untilMs) break
        nowMs = Math.max(nowMs, heap.dueAt(number))
        take(number)
        timer.callback()
      }
      nowMs = untilMs
    },
  }
}
