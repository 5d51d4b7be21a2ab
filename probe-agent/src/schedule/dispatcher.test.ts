import { aReading, anAssignment } from '@probe-mesh/bus/src/contract-suite/fixtures'
import type { Assignment } from '@probe-mesh/contracts/mesh/assignment'
import { limits } from '@probe-mesh/contracts/schema/limits'
import { agentPools } from '@probe-mesh/contracts/agent/agent-pools'
import { Reading } from '@probe-mesh/contracts/reading/reading'
import type { PoolBounds } from '@probe-mesh/runtime/fair-pool'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { createDispatcher, type Dispatcher } from './dispatcher.ts'
import { runMsMax, type Run, type RunContext } from './run.ts'

const slot = 1_700_000_000_000
let now = slot
beforeEach(() => {
  now = slot
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'] })
})
afterEach(() => {
  vi.useRealTimers()
})

/** Lets resolved promises continue. */
const settle = () => new Promise((resolve) => setImmediate(resolve))

type Running = {
  assignment: Assignment
  context: RunContext
  end: () => Promise<void>
  fail: (error: Error) => Promise<void>
}

const boundsOf = (max: { inProgressMax: number; waitingMax: number }): PoolBounds => ({
  places: max.inProgressMax,
  placesOfOwner: max.inProgressMax,
  waiting: max.waitingMax,
  waitingOfOwner: max.waitingMax,
})

const open = (bounds: PoolBounds | undefined = boundsOf({ inProgressMax: 2, waitingMax: 3 })) => {
  const running: Running[] = []
  const readings: Reading[] = []
  const bugs: unknown[] = []
  const lateness: number[] = []
  const run: Run = (assignment, context) => {
    const result = Promise.withResolvers<Reading>()
    const { slot: ranFor, kind, number, lateMs } = context
    running.push({
      assignment,
      context,
      end: async () => {
        result.resolve(aReading({ checkId: assignment.checkId, slot: ranFor, kind, number, lateMs }))
        await settle()
      },
      fail: async (error) => {
        result.reject(error)
        await settle()
      },
    })
    return result.promise
  }
  const dispatcher = createDispatcher({
    run,
    now: () => now,
    onReading: (reading) => readings.push(Reading.parse(reading)),
    onStart: (lateMs) => lateness.push(lateMs),
    onBug: (error) => bugs.push(error),
    bounds,
  })
  const seen = () => readings.map((reading) => `${reading.slot - slot} ${reading.cause}`)
  return { dispatcher, running, readings, bugs, lateness, seen }
}

describe('the dispatcher', () => {
  test('limits concurrent runs, and starts the next when one ends', async () => {
    const { dispatcher, running, readings } = open()
    const checks = Array.from({ length: 4 }, () => anAssignment())
    for (const assignment of checks) dispatcher.submit(assignment, slot)
    expect([running.length, dispatcher.inProgress, dispatcher.waiting]).toEqual([2, 2, 2])
    await running[1]?.end()
    expect(running.map(({ assignment }) => assignment)).toEqual(checks.slice(0, 3))
    await running[0]?.end()
    await running[2]?.end()
    await running[3]?.end()
    expect(readings.map(({ verdict }) => verdict)).toEqual(['up', 'up', 'up', 'up'])
    expect(dispatcher.inProgress).toBe(0)
  })

  test('a check never overlaps itself: its next slot waits for the run to end', async () => {
    const { dispatcher, running, seen } = open()
    const assignment = anAssignment({ intervalSeconds: 1 })
    dispatcher.submit(assignment, slot)
    now += 1_000
    dispatcher.submit(assignment, slot + 1_000)
    expect(running).toHaveLength(1)
    now += 500
    await running[0]?.end()
    expect(running).toHaveLength(2)
    expect(running[1]?.context.lateMs).toBe(500)
    await running[1]?.end()
    expect(seen()).toEqual(['0 ok', '1000 ok'])
  })

  test('a waiting slot becomes unmeasured when its successor comes', async () => {
    const { dispatcher, running, seen } = open()
    const assignment = anAssignment({ intervalSeconds: 1 })
    for (const each of [0, 1_000, 2_000]) {
      now = slot + each
      dispatcher.submit(assignment, slot + each)
    }
    expect(seen()).toEqual(['1000 probe_overloaded'])
    await running[0]?.end()
    await running[1]?.end()
    expect(seen()).toEqual(['1000 probe_overloaded', '0 ok', '2000 ok'])
  })

  test.each([
    [60, 5_000, 'ok'],
    [60, 5_001, 'probe_overloaded'],
    [1, 500, 'ok'],
    [1, 501, 'probe_overloaded'],
  ])('with an interval of %i s a slot %i ms late is %s', async (intervalSeconds, lateMs, cause) => {
    const { dispatcher, running, readings, lateness } = open()
    now = slot + lateMs
    dispatcher.submit(anAssignment({ intervalSeconds }), slot)
    await running[0]?.end()
    expect(readings).toHaveLength(1)
    expect(readings[0]).toMatchObject({ cause, lateMs, slot })
    expect(lateness).toEqual(cause === 'ok' ? [lateMs] : [])
  })

  test('a slot that waits too long becomes unmeasured, as no fault of the target, before any run ends', () => {
    const { dispatcher, running, readings } = open(boundsOf({ inProgressMax: 1, waitingMax: 3 }))
    for (let n = 0; n < 3; n++) dispatcher.submit(anAssignment(), slot)
    now += 5_000
    vi.advanceTimersByTime(1_000)
    expect(readings).toEqual([])
    now += 1
    vi.advanceTimersByTime(1_000)
    expect(readings).toHaveLength(2)
    for (const reading of readings) {
      expect(reading).toMatchObject({
        verdict: 'unmeasured',
        fault: 'probe',
        cause: 'probe_overloaded',
        attempts: 0,
        latencyMs: null,
      })
    }
    expect([running.length, dispatcher.waiting]).toEqual([1, 0])
    expect(vi.getTimerCount()).toBe(1)
  })

  test('a full queue turns a new slot into an unmeasured reading at once', () => {
    const { dispatcher, seen } = open(boundsOf({ inProgressMax: 1, waitingMax: 1 }))
    for (let n = 0; n < 3; n++) dispatcher.submit(anAssignment(), slot + n)
    expect(seen()).toEqual(['2 probe_overloaded'])
  })

  test('a run that rejects is a bug: its slot is unmeasured and its place is free again', async () => {
    const { dispatcher, running, seen, bugs } = open(boundsOf({ inProgressMax: 1, waitingMax: 1 }))
    dispatcher.submit(anAssignment(), slot)
    dispatcher.submit(anAssignment(), slot + 1)
    await running[0]?.fail(new TypeError('a bug of the run'))
    await running[1]?.end()
    expect(seen()).toEqual(['0 probe_error', '1 ok'])
    expect(bugs).toHaveLength(1)
  })

  test('a run that throws before it returns a promise is handled the same', async () => {
    const readings: Reading[] = []
    const dispatcher = createDispatcher({
      run: () => {
        throw new TypeError('a bug of the run')
      },
      now: () => now,
      onReading: (reading) => readings.push(reading),
      onStart: () => undefined,
      onBug: () => undefined,
    })
    dispatcher.submit(anAssignment(), slot)
    await settle()
    expect(readings.map(({ cause }) => cause)).toEqual(['probe_error'])
  })

  test('a run that never ends is aborted at its deadline and releases its place', async () => {
    const { dispatcher, running, seen, bugs } = open(boundsOf({ inProgressMax: 1, waitingMax: 1 }))
    dispatcher.submit(anAssignment({ intervalSeconds: 10 }), slot)
    const deadlineMs = runMsMax(anAssignment({ intervalSeconds: 10 })) + 1_000
    vi.advanceTimersByTime(deadlineMs - 1)
    expect(running[0]?.context.signal.aborted).toBe(false)
    vi.advanceTimersByTime(1)
    expect(running[0]?.context.signal.aborted).toBe(true)
    vi.advanceTimersByTime(1_000)
    await settle()
    expect(seen()).toEqual(['0 probe_overdue'])
    expect([dispatcher.inProgress, bugs.length, vi.getTimerCount()]).toEqual([0, 1, 0])
  })

  test('a handler of readings that throws stops nothing else', async () => {
    const bugs: unknown[] = []
    const dispatcher = createDispatcher({
      run: async (assignment) => aReading({ checkId: assignment.checkId }),
      now: () => now,
      onReading: () => {
        throw new Error('a bug of the recorder')
      },
      onStart: () => undefined,
      onBug: (error) => bugs.push(error),
    })
    const assignment = anAssignment()
    dispatcher.submit(assignment, slot)
    await settle()
    dispatcher.submit(assignment, slot + 1)
    await settle()
    expect(bugs).toHaveLength(2)
  })
})

describe('a run on demand', () => {
  const asked = { slot, kind: 'manual', number: 3 } as const

  test('runs at once next to the scheduled ones, and its reading is recorded too', async () => {
    const { dispatcher, running, readings } = open(boundsOf({ inProgressMax: 1, waitingMax: 1 }))
    const assignment = anAssignment()
    dispatcher.submit(assignment, slot)
    const answer = dispatcher.runNow(assignment, asked)
    await running[1]?.end()
    expect(await answer).toMatchObject({ kind: 'manual', number: 3, slot, verdict: 'up' })
    expect(readings).toEqual([await answer])
  })

  const { runsAsked, confirmations } = agentPools
  /** More than one account may have in progress and waiting. */
  const askMany = (dispatcher: Dispatcher, kind: 'manual' | 'confirmation', accountId: string) =>
    Array.from({ length: 250 }, () => dispatcher.runNow(anAssignment({ accountId }), { ...asked, kind }))

  test('beyond the share of its account waits, and is busy beyond the queue', async () => {
    const { dispatcher, running } = open()
    const answers = askMany(dispatcher, 'manual', 'hog')
    const { placesOfOwner, waitingOfOwner } = runsAsked.bounds
    expect(running).toHaveLength(placesOfOwner)
    expect(await answers[placesOfOwner + waitingOfOwner]).toBe('busy')
    await running[0]?.end()
    expect(running).toHaveLength(placesOfOwner + 1)
    await running[placesOfOwner]?.end()
    expect(await answers[placesOfOwner]).toMatchObject({ verdict: 'up' })
  })

  test('whose turn does not come in time is busy', async () => {
    const { dispatcher } = open()
    const answers = askMany(dispatcher, 'manual', 'hog')
    await vi.advanceTimersByTimeAsync(limits.runTurnMsMax)
    expect(await answers[runsAsked.bounds.placesOfOwner]).toBe('busy')
  })

  test('starts at once, whatever silent targets of another account occupy', async () => {
    const { dispatcher, running } = open()
    askMany(dispatcher, 'manual', 'hog')
    const answer = dispatcher.runNow(anAssignment({ accountId: 'small' }), asked)
    expect(running.at(-1)?.assignment.accountId).toBe('small')
    await running.at(-1)?.end()
    expect(await answer).toMatchObject({ verdict: 'up' })
  })

  test('of a saved check starts at once, despite trials of Free accounts on silent targets', async () => {
    const { dispatcher, running } = open()
    const freeTrial = { ...asked, freeTrial: true }
    for (let trial = 0; trial < 1_000; trial++) {
      void dispatcher.runNow(anAssignment({ accountId: `free-${trial % 500}` }), freeTrial)
    }
    askMany(dispatcher, 'manual', 'hog')
    void dispatcher.runNow(anAssignment({ accountId: 'small' }), asked)
    expect(running.at(-1)?.assignment.accountId).toBe('small')
  })

  test('of 100 accounts with two each leaves another its turn', async () => {
    const { dispatcher, running } = open()
    for (let run = 0; run < 200; run++) {
      void dispatcher.runNow(anAssignment({ accountId: `other-${run % 100}` }), asked)
    }
    void dispatcher.runNow(anAssignment({ accountId: 'small' }), asked)
    expect(running.at(-1)?.assignment.accountId).toBe('small')
  })

  test('leaves all places of confirmations free', async () => {
    const { dispatcher, running } = open()
    for (let account = 0; account < 300; account++) askMany(dispatcher, 'manual', `hog-${account}`)
    const before = running.length
    expect(before).toBe(runsAsked.bounds.places)
    void dispatcher.runNow(anAssignment(), { ...asked, kind: 'confirmation' })
    expect(running.length).toBe(before + 1)
  })

  test('to confirm starts at once, whatever confirmations of another account occupy', async () => {
    const { dispatcher, running } = open()
    askMany(dispatcher, 'confirmation', 'hog')
    expect(running).toHaveLength(confirmations.bounds.placesOfOwner)
    void dispatcher.runNow(anAssignment({ accountId: 'small' }), { ...asked, kind: 'confirmation' })
    expect(running.at(-1)?.assignment.accountId).toBe('small')
  })

  test('of 1,000 accounts that wait: each is served once before any is served twice', async () => {
    const { dispatcher, running } = open()
    const hogs = Array.from({ length: 3 }, (_, n) => askMany(dispatcher, 'manual', `hog-${n}`))
    const { places, waiting } = runsAsked.bounds
    const served = running.length
    expect(served).toBeGreaterThan(places - runsAsked.bounds.reserve.places)
    for (let n = 0; n < waiting; n++) {
      void dispatcher.runNow(anAssignment({ accountId: `account-${n}` }), asked)
    }
    for (let at = 0; running.length < served + waiting - hogs.length; at++) await running[at]?.end()
    const accounts = running.slice(served).map(({ assignment }) => assignment.accountId)
    const others = accounts.filter((id) => !id.startsWith('hog'))
    expect(others.length).toBeGreaterThan(0.95 * waiting)
    expect(new Set(others).size).toBe(others.length)
  })

  test('waits no longer when the agent closes', async () => {
    const { dispatcher } = open()
    const answers = askMany(dispatcher, 'manual', 'hog')
    void dispatcher.close(0)
    expect(await answers[runsAsked.bounds.placesOfOwner]).toBe('busy')
  })
})

describe('scheduled runs of several accounts', () => {
  const { bounds } = agentPools.runs
  const submitMany = (dispatcher: Dispatcher, accountId: string, count: number) => {
    for (let n = 0; n < count; n++) dispatcher.submit(anAssignment({ accountId }), slot)
  }

  test('a single one gets all places except the reserved ones, and the whole queue', () => {
    const { dispatcher, running, readings } = open(bounds)
    submitMany(dispatcher, 'alone', 11_000)
    expect([running.length, dispatcher.waiting, readings]).toEqual([1_000, 10_000, []])
  })

  test('an account whose 5,000 checks hang makes no run of another `probe_overloaded`', async () => {
    const { dispatcher, running, readings } = open(bounds)
    submitMany(dispatcher, 'hog', 5_000)
    submitMany(dispatcher, 'small', 20)
    const ofSmall = () => running.filter(({ assignment }) => assignment.accountId === 'small')
    // ten places are reserved, and the other accounts are next
    expect(ofSmall()).toHaveLength(10)
    for (const hanging of running.slice(0, 10)) await hanging.end()
    expect(ofSmall()).toHaveLength(10)
    for (const hanging of running.slice(10, 100)) await hanging.end()
    for (const mine of ofSmall()) await mine.end()
    expect(ofSmall()).toHaveLength(20)
    expect(readings.filter(({ verdict }) => verdict === 'unmeasured')).toEqual([])
  })

  test('a full queue drops the newest slot of the account with the most', () => {
    const { dispatcher, readings } = open(bounds)
    submitMany(dispatcher, 'hog', 11_000)
    submitMany(dispatcher, 'small', 100)
    expect(dispatcher.waiting).toBe(10_000)
    expect(readings).toHaveLength(90)
    expect(dispatcher.pools.runs.largest(2)).toEqual([
      { owner: 'hog', taken: 1_000, waiting: 9_910 },
      { owner: 'small', taken: 10, waiting: 90 },
    ])
  })
})

describe('closing', () => {
  test('waits for runs in progress and accepts no more', async () => {
    const { dispatcher, running, seen } = open(boundsOf({ inProgressMax: 1, waitingMax: 3 }))
    dispatcher.submit(anAssignment(), slot)
    dispatcher.submit(anAssignment(), slot + 1)
    const closing = dispatcher.close(10_000)
    dispatcher.submit(anAssignment(), slot + 2)
    expect(await dispatcher.runNow(anAssignment(), { slot, kind: 'manual', number: 0 })).toBe('busy')
    await running[0]?.end()
    await closing
    expect([running.length, seen()]).toEqual([1, ['0 ok']])
    expect(vi.getTimerCount()).toBe(0)
  })

  test('after its grace aborts the rest, which leave no reading', async () => {
    const { dispatcher, running, seen } = open()
    dispatcher.submit(anAssignment(), slot)
    const closing = dispatcher.close(10_000)
    await vi.advanceTimersByTimeAsync(9_999)
    expect(running[0]?.context.signal.aborted).toBe(false)
    await vi.advanceTimersByTimeAsync(1)
    await closing
    expect(running[0]?.context.signal.aborted).toBe(true)
    await running[0]?.end()
    expect(seen()).toEqual([])
  })
})
