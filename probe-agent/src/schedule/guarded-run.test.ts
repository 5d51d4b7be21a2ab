import { aReading, anAssignment } from '@probe-mesh/bus/src/contract-suite/fixtures'
import type { Reading } from '@probe-mesh/contracts/reading/reading'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { startGuardedRun } from './guarded-run.ts'
import { runMsMax } from './run.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const assignment = anAssignment({ intervalSeconds: 10 })
const dueMs = runMsMax(assignment) + 1_000

const start = () => {
  const running = Promise.withResolvers<Reading>()
  const bugs: unknown[] = []
  let stoodStillMs = 0
  const clock = vi.getMockedSystemTime()?.getTime() ?? 0
  const guarded = startGuardedRun(
    assignment,
    { slot: clock, kind: 'scheduled', number: 0, lateMs: 0 },
    {
      run: () => running.promise,
      now: Date.now,
      onBug: (error) => bugs.push(error),
      monotonic: () => Date.now() + stoodStillMs,
    },
  )
  return {
    guarded,
    running,
    bugs,
    /** Advances the clock without firing timers. */
    freezeProcess: (ms: number) => {
      stoodStillMs += ms
    },
  }
}

test('after a freeze of the process a run may end before it counts as a bug', async () => {
  const { guarded, running, bugs, freezeProcess } = start()
  freezeProcess(60_000)
  vi.advanceTimersByTime(dueMs)
  expect(bugs).toEqual([])
  running.resolve(aReading())
  expect(await guarded.reading).toMatchObject({ verdict: 'up' })
  expect(vi.getTimerCount()).toBe(0)
})

test('a run that continues after that is a bug all the same', async () => {
  const { guarded, bugs, freezeProcess } = start()
  freezeProcess(60_000)
  vi.advanceTimersByTime(dueMs + 999)
  expect(bugs).toEqual([])
  vi.advanceTimersByTime(1)
  expect(bugs).toHaveLength(1)
  vi.advanceTimersByTime(1_000)
  expect(await guarded.reading).toMatchObject({ verdict: 'unmeasured', cause: 'probe_overdue' })
})

test('a run that exceeds its deadline in time is a bug', () => {
  const { bugs } = start()
  vi.advanceTimersByTime(dueMs)
  expect(bugs).toHaveLength(1)
})
