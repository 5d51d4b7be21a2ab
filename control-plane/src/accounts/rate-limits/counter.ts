import { tradePlaces } from './budgets-store.ts'
import type { Sql } from '../../stores/postgres/connect.ts'
import type { Terms } from './terms.ts'
import { createPurse } from './purse.ts'
import type { Decision, Purse } from './purse.ts'
import type { Trips } from './trips.ts'

/** The key whose budget a call spends; the account's id stands for all its keys together. */
export type BudgetOwner = {
  readonly keyId: string
  readonly accountId: string
  /** Its account has so many keys that all of them are counted together as well. */
  readonly manyKeys?: boolean
}

export type CounterContext = {
  sql: Sql
  now: () => number
  /** Stands for the database's clock in tests; undefined: its own. */
  databaseNow: (() => number) | undefined
  trips: Trips
  /** Counters that may have something to settle with Postgres, in the order they got it. */
  unsettled: Set<Counter>
}

/** Counts one budget of one key: from the purse where it can tell, else by a trip to Postgres. */
export type Counter = {
  readonly purse: Purse
  /** Decides about one call, which is spent where it is allowed. */
  spend(): Decision | Promise<Decision>
  /** Settles what was used and gives the rest back. Never rejects. */
  settle(): Promise<void>
  isTrading(): boolean
}

/** Calls that wait for a trip at a time; more are told to come back in a second. */
const waitingMax = 1_000
const waitMsWhenFull = 1_000

export const createCounter = (
  context: CounterContext,
  terms: Terms,
  owner: BudgetOwner,
): Counter => {
  const { sql, now, trips, unsettled } = context
  const budget = { ...terms, keyId: owner.keyId, accountId: owner.accountId }
  const purse = createPurse(terms)
  let waiting: ((decision: Decision) => void)[] = []
  let trading = false

  const tradeOnce = async (): Promise<void> => {
    const answers = waiting
    waiting = []
    const sentAtMs = now()
    const asked = purse.ask(answers.length, sentAtMs)
    const traded = trips.open()
      ? await trips.run(() => tradePlaces(sql, budget, asked, context.databaseNow?.() ?? null))
      : null
    const decisions = purse.learn(asked, traded, sentAtMs, now())
    if (traded === null) trips.alone(answers.length)
    for (const [at, answer] of answers.entries()) {
      answer(decisions[at] ?? purse.takeAlone(now()))
    }
    serveWaiting()
    unsettled.delete(counter)
    if (!purse.isSettled()) unsettled.add(counter)
  }

  /** Calls that came during a trip have what it brought, in their order, as far as that goes. */
  const serveWaiting = (): void => {
    let served = 0
    for (const answer of waiting) {
      const known = purse.take(now())
      if (known === null) break
      answer(known)
      served += 1
    }
    waiting = waiting.slice(served)
  }

  /** One trip at a time: calls for which it brings nothing share the next. */
  const trade = async (): Promise<void> => {
    if (trading) return
    trading = true
    do await tradeOnce()
    while (waiting.length > 0)
    trading = false
  }

  const counter: Counter = {
    purse,
    spend: () => {
      const nowMs = now()
      const known = purse.take(nowMs)
      if (known !== null) return known
      if (!trading && !trips.open()) {
        trips.alone(1)
        unsettled.add(counter)
        return purse.takeAlone(nowMs)
      }
      if (waiting.length >= waitingMax) {
        return { ...purse.look(nowMs), allowed: false, waitMs: waitMsWhenFull }
      }
      return new Promise((resolve) => {
        waiting.push(resolve)
        void trade()
      })
    },
    settle: trade,
    isTrading: () => trading,
  }
  return counter
}
