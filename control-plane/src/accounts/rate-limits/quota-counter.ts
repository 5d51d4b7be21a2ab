import { syncQuota } from './quota-store.ts'
import type { Sql } from '../../stores/postgres/connect.ts'
import type { QuotaRules } from './quota-rules.ts'
import { createLocalQuota, type Decision, type LocalQuota } from './local-quota.ts'
import type { CircuitBreaker } from './circuit-breaker.ts'

/** The key whose quota a call uses; the account's id means all its keys together. */
export type QuotaOwner = {
  readonly keyId: string
  readonly accountId: string
  /** The account has more keys than `keysPerAccountBudget`: they also share one quota. */
  readonly manyKeys?: boolean
}

export type QuotaCounterContext = {
  sql: Sql
  now: () => number
  /** Replaces the database's clock in tests; undefined: its own. */
  databaseNow: (() => number) | undefined
  breaker: CircuitBreaker
  /** Counters that may have to report to Postgres, oldest first. */
  unsettled: Set<QuotaCounter>
}

/** Counts one quota of one key: from memory where possible, else by a query to Postgres. */
export type QuotaCounter = {
  readonly local: LocalQuota
  /** Decides one call, and counts it when it is allowed. */
  spend(): Decision | Promise<Decision>
  /** Reports uses and returns the rest of the leased block. Never rejects. */
  settle(): Promise<void>
  isSyncing(): boolean
}

/** Calls that wait for a query at a time; more are refused for a second. */
const waitingMax = 1_000
const waitMsWhenFull = 1_000

export const createQuotaCounter = (
  context: QuotaCounterContext,
  rules: QuotaRules,
  owner: QuotaOwner,
): QuotaCounter => {
  const { sql, now, breaker, unsettled } = context
  const quota = { ...rules, keyId: owner.keyId, accountId: owner.accountId }
  const local = createLocalQuota(rules)
  let waiting: ((decision: Decision) => void)[] = []
  let syncing = false

  const syncOnce = async (): Promise<void> => {
    const answers = waiting
    waiting = []
    const sentAtMs = now()
    const request = local.startSync(answers.length, sentAtMs)
    const result = breaker.canQuery()
      ? await breaker.run(() => syncQuota(sql, quota, request, context.databaseNow?.() ?? null))
      : null
    const decisions = local.finishSync(request, result, sentAtMs, now())
    if (result === null) breaker.countLocal(answers.length)
    for (const [at, answer] of answers.entries()) {
      answer(decisions[at] ?? local.takeLocally(now()))
    }
    serveWaiting()
    unsettled.delete(counter)
    if (!local.isSettled()) unsettled.add(counter)
  }

  /** Serves calls that arrived during a query, in their order, from the block that it leased. */
  const serveWaiting = (): void => {
    let served = 0
    for (const answer of waiting) {
      const known = local.take(now())
      if (known === null) break
      answer(known)
      served += 1
    }
    waiting = waiting.slice(served)
  }

  /** One query at a time: calls that it could not serve share the next. */
  const sync = async (): Promise<void> => {
    if (syncing) return
    syncing = true
    do await syncOnce()
    while (waiting.length > 0)
    syncing = false
  }

  const counter: QuotaCounter = {
    local,
    spend: () => {
      const nowMs = now()
      const known = local.take(nowMs)
      if (known !== null) return known
      if (!syncing && !breaker.canQuery()) {
        breaker.countLocal(1)
        unsettled.add(counter)
        return local.takeLocally(nowMs)
      }
      if (waiting.length >= waitingMax) {
        return { ...local.look(nowMs), allowed: false, waitMs: waitMsWhenFull }
      }
      return new Promise((resolve) => {
        waiting.push(resolve)
        void sync()
      })
    },
    settle: sync,
    isSyncing: () => syncing,
  }
  return counter
}
