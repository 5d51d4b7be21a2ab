import { isSlow, type PlacedPool, type SlowPool } from '@probe-mesh/contracts/schema/shared-pool'
import type { PoolBounds } from '@probe-mesh/runtime/fair-pool'
import { expect, onTestFinished, vi } from 'vitest'
import { numbers, type FairnessCase } from './case.ts'

/** One submitted work. `refusal` is the module's answer if the work did not start. */
type Work = {
  readonly owner: string
  state: 'waiting' | 'in progress' | 'ended' | 'refused'
  refusal: unknown
  /** The time of its start, ms. */
  begunMs: number
  end(): void
}

/** A module with a pool, driven by a case. */
export type Opened = {
  /**
   * Submits one work of an owner. It starts when the module calls `hold`, and lasts until that resolves.
   * @returns the module's answer; the refusal if the work never started
   */
  perform(owner: string, hold: () => Promise<void>): unknown
  /** Lets all ready work continue; default: some turns of the event loop. */
  settle?(): Promise<void>
}

const turnsOfLoop = 3

/** Waits some turns of the event loop, so that resolved promises continue. */
export const settleLoop = async (): Promise<void> => {
  for (const _ of numbers(turnsOfLoop)) await new Promise((resolve) => setImmediate(resolve))
}

/** Stops the clock: no wait ends by itself, and work has the minimum cost. */
export const stopTime = (): void => {
  vi.useFakeTimers({
    toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'performance'],
  })
  onTestFinished(() => void vi.useRealTimers())
}

const start = ({ perform, settle = settleLoop }: Opened) => {
  const works: Work[] = []
  /** In the order of their starts. */
  const begun: Work[] = []
  const submit = (owner: string): Work => {
    const ended = Promise.withResolvers<void>()
    const work: Work = { owner, state: 'waiting', refusal: undefined, begunMs: 0, end: ended.resolve }
    const conclude = (answer: unknown): void => {
      if (work.state === 'waiting') Object.assign(work, { state: 'refused', refusal: answer })
      else work.state = 'ended'
    }
    works.push(work)
    const hold = (): Promise<void> => {
      Object.assign(work, { state: 'in progress', begunMs: performance.now() })
      begun.push(work)
      return ended.promise
    }
    void Promise.resolve(perform(owner, hold)).then(conclude, conclude)
    return work
  }
  /** Ends the work that started first. */
  const endOldest = async (): Promise<Work> => {
    const oldest = begun.shift()
    if (oldest === undefined) throw new Error('no work is in progress')
    oldest.end()
    await settle()
    return oldest
  }
  const count = (state: Work['state']): number => works.filter((work) => work.state === state).length
  const endAll = async (): Promise<void> => {
    while (begun.length > 0) {
      for (const work of begun.splice(0)) work.end()
      await settle()
    }
    expect([count('waiting'), count('in progress')]).toEqual([0, 0])
  }
  /** Lets the time pass until the oldest work has lasted this long, and ends all that have. */
  const endWhenOld = async (msMax: number): Promise<void> => {
    const [oldest] = begun
    if (oldest === undefined) throw new Error('no work is in progress')
    await vi.advanceTimersByTimeAsync(Math.max(0, oldest.begunMs + msMax - performance.now()))
    await settle()
    while (begun[0] !== undefined && performance.now() - begun[0].begunMs >= msMax) begun.shift()?.end()
    await settle()
  }
  return { submit, settle, endOldest, endWhenOld, endAll, count, works }
}

type TurnsCase = {
  /** The row. A client can make its works slow if it has their longest time and wait. */
  pool: PlacedPool
  open(): Opened | Promise<Opened>
  crowds?: readonly number[]
  /** For a module with its own pauses. */
  isTimeReal?: boolean
  /**
   * The number of works of others that end before the one at its floor starts; 0: it starts at once. Default: by
   * its reserve, or else by turns.
   */
  within?(crowd: number): number
  /** The answer to a work beyond the share. */
  refused: unknown
  /** The share of one account alone if it differs from the bounds. */
  alone?: { inProgress: number; waiting: number }
}

/**
 * Creates a case of a pool whose works wait for their turn. Accounts whose works end submit again at once, so
 * that they stay at their maximum.
 */
export const turnsCase = (given: TurnsCase): FairnessCase => {
  const { pool, open, crowds, refused } = given
  const { bounds } = pool
  const { within = bounds.reserve === undefined ? byTurns : byReserve(bounds) } = given
  const { placesOfOwner, waitingOfOwner } = bounds
  const alone = given.alone ?? { inProgress: placesOfOwner, waiting: waitingOfOwner }
  return {
    ...(crowds === undefined ? {} : { crowds }),
    floor: async (crowd) => {
      if (given.isTimeReal !== true) stopTime()
      const at = start(await open())
      // more than the pool can hold
      const filling = Math.ceil((1.1 * (bounds.places + bounds.waiting)) / crowd) + 1
      const each = Math.min(alone.inProgress + alone.waiting, filling)
      for (const _ of numbers(each)) for (const n of numbers(crowd)) at.submit(`crowd ${n}`)
      await at.settle()
      const mine = at.submit('newcomer')
      await at.settle()
      let ended = 0
      while (mine.state === 'waiting' && ended < within(crowd)) {
        const { owner } = await at.endOldest()
        at.submit(owner)
        ended += 1
      }
      expect([mine.state, mine.refusal]).toEqual(['in progress', undefined])
      await at.endAll()
    },
    ...(isSlow(pool) && { slowest: slowestOf(pool, open) }),
    share: async () => {
      if (given.isTimeReal !== true) stopTime()
      const at = start(await open())
      for (const count of [alone.inProgress, alone.waiting, 1]) {
        for (const _ of numbers(count)) at.submit('alone')
        await at.settle()
      }
      expect([at.count('in progress'), at.count('waiting'), at.count('refused')]).toEqual([
        alone.inProgress,
        alone.waiting,
        1,
      ])
      const beyond = at.works.find(({ state }) => state === 'refused')
      expect(beyond?.refusal).toEqual(refused)
      await at.endAll()
    },
  }
}

/** Works last as long as they may, on a stopped clock. An account whose work ended or was refused submits again. */
const slowestOf =
  ({ bounds, workMsMax, waitMsMax }: SlowPool, open: TurnsCase['open']) =>
  async (crowd: number): Promise<void> => {
    stopTime()
    const at = start(await open())
    const owners = numbers(crowd).map((n) => `crowd ${n}`)
    const fill = async (): Promise<void> => {
      const active = at.works.filter(({ state }) => ['waiting', 'in progress'].includes(state))
      for (const name of owners) {
        const own = active.filter(({ owner }) => owner === name).length
        for (const _ of numbers(bounds.placesOfOwner + bounds.waitingOfOwner - own)) at.submit(name)
      }
      await at.settle()
    }
    await fill()
    const mine = at.submit('newcomer')
    await at.settle()
    while (mine.state === 'waiting') {
      await at.endWhenOld(workMsMax)
      await fill()
    }
    expect([mine.state, mine.refusal], `waited ${performance.now()} ms of ${waitMsMax} ms`).toEqual([
      'in progress',
      undefined,
    ])
    await at.endAll()
  }

/** Turns: each of n owners with waiting works is served within n works. */
export const byTurns = (crowd: number): number => crowd + 1

/**
 * Of a pool with reserved places: a reserved place at once while some are free, else the next free place,
 * after other accounts without one.
 */
const byReserve =
  ({ places, reserve }: PoolBounds) =>
  (crowd: number): number => {
    const kept = reserve === undefined ? 0 : reserve.places - crowd * reserve.ofOwner
    return kept > 0 ? 0 : 1 + Math.max(0, crowd - places)
  }
