import type { PoolBounds } from '@probe-mesh/runtime/fair-pool'
import { expect, onTestFinished, vi } from 'vitest'
import { numbers } from './case.ts'
import type { FairnessCase } from './case.ts'

/** One work that is asked for: `refusal` is what the module answered instead of beginning it. */
type Work = {
  readonly owner: string
  state: 'waiting' | 'under way' | 'ended' | 'refused'
  refusal: unknown
  end(): void
}

/** A module that owns a pool, as a case drives it. */
export type Opened = {
  /**
   * Asks for one work of an owner. It begins where the module calls `hold`, and lasts until that resolves.
   * @returns what the module answers; a work that never began was refused with it
   */
  perform(owner: string, hold: () => Promise<void>): unknown
  /** Lets everything go on that can; some turns of the event loop without it. */
  settle?(): Promise<void>
}

const turnsOfLoop = 3

/** Some turns of the event loop: what is resolved has gone on. */
export const settleLoop = async (): Promise<void> => {
  for (const _ of numbers(turnsOfLoop)) await new Promise((resolve) => setImmediate(resolve))
}

/** Time stands still: no wait ends by itself, and a work costs the least that one can. */
export const stopTime = (): void => {
  vi.useFakeTimers({
    toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'performance'],
  })
  onTestFinished(() => void vi.useRealTimers())
}

const start = ({ perform, settle = settleLoop }: Opened) => {
  const works: Work[] = []
  /** In the order in which they began. */
  const begun: Work[] = []
  const ask = (owner: string): Work => {
    const ended = Promise.withResolvers<void>()
    const work: Work = { owner, state: 'waiting', refusal: undefined, end: ended.resolve }
    const conclude = (answer: unknown): void => {
      if (work.state === 'waiting') Object.assign(work, { state: 'refused', refusal: answer })
      else work.state = 'ended'
    }
    works.push(work)
    const hold = (): Promise<void> => {
      work.state = 'under way'
      begun.push(work)
      return ended.promise
    }
    void Promise.resolve(perform(owner, hold)).then(conclude, conclude)
    return work
  }
  /** Ends the work that began first. */
  const endOldest = async (): Promise<Work> => {
    const oldest = begun.shift()
    if (oldest === undefined) throw new Error('nothing is under way that could end')
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
    expect([count('waiting'), count('under way')]).toEqual([0, 0])
  }
  return { ask, settle, endOldest, endAll, count, works }
}

export type TurnsCase = {
  bounds: PoolBounds
  open(): Opened | Promise<Opened>
  crowds?: readonly number[]
  /** For a module whose own pauses have to pass. */
  isTimeReal?: boolean
  /** Works of others that end before the one at its floor begins; 0 where it begins at once. */
  within(crowd: number): number
  /** What is answered to a work beyond the share. */
  refused: unknown
  /** What one account alone gets, where that is not the share of the bounds. */
  alone?: { underWay: number; waiting: number }
}

/**
 * A case of a pool whose works wait for their turn. Accounts whose works end ask again at once, so that they
 * stay at their maximum.
 */
export const turnsCase = (given: TurnsCase): FairnessCase => {
  const { bounds, open, crowds, within, refused } = given
  const { placesOfOwner, waitingOfOwner } = bounds
  const alone = given.alone ?? { underWay: placesOfOwner, waiting: waitingOfOwner }
  return {
    ...(crowds === undefined ? {} : { crowds }),
    floor: async (crowd) => {
      if (given.isTimeReal !== true) stopTime()
      const at = start(await open())
      // more than the pool holds
      const filling = Math.ceil((1.1 * (bounds.places + bounds.waiting)) / crowd) + 1
      const each = Math.min(alone.underWay + alone.waiting, filling)
      for (const _ of numbers(each)) for (const n of numbers(crowd)) at.ask(`crowd ${n}`)
      await at.settle()
      const mine = at.ask('newcomer')
      await at.settle()
      let ended = 0
      while (mine.state === 'waiting' && ended < within(crowd)) {
        const { owner } = await at.endOldest()
        at.ask(owner)
        ended += 1
      }
      expect([mine.state, mine.refusal]).toEqual(['under way', undefined])
      await at.endAll()
    },
    share: async () => {
      if (given.isTimeReal !== true) stopTime()
      const at = start(await open())
      for (const count of [alone.underWay, alone.waiting, 1]) {
        for (const _ of numbers(count)) at.ask('alone')
        await at.settle()
      }
      expect([at.count('under way'), at.count('waiting'), at.count('refused')]).toEqual([
        alone.underWay,
        alone.waiting,
        1,
      ])
      const beyond = at.works.find(({ state }) => state === 'refused')
      expect(beyond?.refusal).toEqual(refused)
      await at.endAll()
    },
  }
}

/** By turns: of n owners with works waiting each is served within n works. */
export const byTurns = (crowd: number): number => crowd + 1

/**
 * Of a pool that keeps places: one of them at once, while the others have not all; else the next that comes free,
 * after those accounts that have none either.
 */
export const byReserve =
  ({ places, reserve }: PoolBounds) =>
  (crowd: number): number => {
    const kept = reserve === undefined ? 0 : reserve.places - crowd * reserve.ofOwner
    return kept > 0 ? 0 : 1 + Math.max(0, crowd - places)
  }
