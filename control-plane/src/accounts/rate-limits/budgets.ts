import { keysPerAccountBudget } from '@probe-mesh/contracts/api/request-pools'
import type { Logger } from 'pino'
import { Gauge } from 'prom-client'
import type { Registry } from 'prom-client'
import { findUsedPlaces } from './budgets-store.ts'
import type { BudgetName } from './budgets-store.ts'
import type { Sql } from '../../stores/postgres/connect.ts'
import { createCounter } from './counter.ts'
import type { BudgetOwner, Counter } from './counter.ts'
import type { Decision } from './purse.ts'
import { rateLimitOf } from './rate-limit-fields.ts'
import { startSettler } from './settler.ts'
import { termsOf } from './terms.ts'
import type { Terms } from './terms.ts'
import { createTrips } from './trips.ts'

/** What a budget says of itself after a call: the values of the `RateLimit` header fields. */
export type BudgetState = {
  allowed: boolean
  /** `RateLimit-Policy` and `RateLimit` of draft-ietf-httpapi-ratelimit-headers-11 */
  policy: string
  rateLimit: string
  /** Of a refused call: no other call is told the same place. */
  retryAfterSeconds: number
  /** The budget that refused is that of all keys of the account. */
  ofAccount?: true
}

/**
 * The budgets of a key (S-2301): one count in Postgres for all instances. Each takes places in small blocks
 * ahead, so that most reads are decided from memory, at once. The keys of an account that has more than
 * `keysPerAccountBudget` are counted together as well, under the account's id.
 */
export type Budgets = {
  /** Spends one call of a key's budget. */
  spend(owner: BudgetOwner, budget: BudgetName): BudgetState | Promise<BudgetState>
  /** The state without spending: for calls that are refused before they cost anything. */
  look(owner: BudgetOwner, budget: BudgetName): BudgetState | Promise<BudgetState>
  left(owner: BudgetOwner): Promise<{ reads: number; writes: number }>
  /** Gives back what lapsed unused and tells what was used of it; a timer calls this as well. */
  settle(): Promise<void>
  /** Keys remembered at this moment. */
  size(): number
  /** Gives back everything that is at hand. */
  close(): Promise<void>
}

/** Keys remembered at a time; beyond, the one known longest is forgotten: Postgres has its count. */
const keysMax = 20_000
const forgetMs = 60_000
/** How old what is known may be for a call that spends nothing. */
const lookAgeMsMax = 1_000

/**
 * @param scale the operator's factor on both budgets (`BUDGET_SCALE`)
 * @param databaseNow stands for the database's clock in tests, which no `now` of an instance does
 * @param tripMsMax stands for the time that calls wait for Postgres, in tests on a busy machine
 */
export const createBudgets = (capabilities: {
  sql: Sql
  now: () => number
  scale: number
  log: Logger
  registry: Registry
  databaseNow?: (() => number) | undefined
  tripMsMax?: number | undefined
}): Budgets => {
  const { sql, now, scale, databaseNow } = capabilities
  const terms = { reads: termsOf('reads', scale), writes: termsOf('writes', scale) }
  const ofAccount = scale * keysPerAccountBudget
  const accountTerms = { reads: termsOf('reads', ofAccount), writes: termsOf('writes', ofAccount) }
  const trips = createTrips(capabilities)
  const unsettled = new Set<Counter>()
  const context = { sql, now, databaseNow, trips, unsettled }
  const keys = new Map<string, Record<BudgetName, Counter>>()
  const gauge = new Gauge({
    name: 'budget_keys',
    help: 'Keys whose budgets are remembered',
    registers: [capabilities.registry],
    collect() {
      gauge.set(keys.size)
    },
  })

  const counterOf = (owner: BudgetOwner, name: BudgetName): Counter => {
    const known = keys.get(owner.keyId)
    if (known !== undefined) return known[name]
    const eldest = keys.size >= keysMax ? keys.keys().next().value : undefined
    if (eldest !== undefined) keys.delete(eldest)
    const { reads, writes } = owner.keyId === owner.accountId ? accountTerms : terms
    const counters = {
      reads: createCounter(context, reads, owner),
      writes: createCounter(context, writes, owner),
    }
    keys.set(owner.keyId, counters)
    return counters[name]
  }

  let forgotAtMs = now()
  const forgetQuiet = (): void => {
    const nowMs = now()
    if (nowMs - forgotAtMs < forgetMs) return
    forgotAtMs = nowMs
    for (const [keyId, { reads, writes }] of keys) {
      const quiet = [reads, writes].every((each) => !each.isTrading() && each.purse.isIdle(nowMs))
      if (quiet) keys.delete(keyId)
    }
  }
  const settler = startSettler({ unsettled, now, isOpen: trips.open, onRound: forgetQuiet })

  /** Reads both counts of a key, for calls that take nothing. */
  const refresh = async (owner: BudgetOwner): Promise<void> => {
    if (!trips.open()) return
    const rows = await trips.run(() =>
      findUsedPlaces(sql, owner.keyId, terms.reads.windowMs, databaseNow?.() ?? null),
    )
    if (rows === null) return
    for (const name of ['reads', 'writes'] as const) {
      const row = rows.find((each) => each.name === name)
      counterOf(owner, name).purse.note(row?.used ?? 0, row?.resetMs ?? 0, now())
    }
  }

  const spend = (owner: BudgetOwner, name: BudgetName): BudgetState | Promise<BudgetState> => {
    const of = owner.keyId === owner.accountId ? accountTerms[name] : terms[name]
    const decision = counterOf(owner, name).spend()
    return decision instanceof Promise
      ? decision.then((late) => stateOf(of, late))
      : stateOf(of, decision)
  }
  /** What a key may do its account may not do, where the account's keys have used it up. */
  const spendOfAccount = async (
    { accountId }: BudgetOwner,
    name: BudgetName,
    ofKey: BudgetState,
  ): Promise<BudgetState> => {
    if (!ofKey.allowed) return ofKey
    const ofAll = await spend(allKeysOf(accountId), name)
    return ofAll.allowed ? ofKey : { ...ofAll, ofAccount: true }
  }

  return {
    spend: (owner, name) => {
      const state = spend(owner, name)
      if (owner.manyKeys !== true) return state
      return state instanceof Promise
        ? state.then((late) => spendOfAccount(owner, name, late))
        : spendOfAccount(owner, name, state)
    },
    look: (owner, name) => {
      const { purse } = counterOf(owner, name)
      if (purse.ageMs(now()) < lookAgeMsMax) return stateOf(terms[name], purse.look(now()))
      return refresh(owner).then(() => stateOf(terms[name], purse.look(now())))
    },
    left: async (owner) => {
      const owners = owner.manyKeys === true ? [owner, allKeysOf(owner.accountId)] : [owner]
      await Promise.all(owners.map(refresh))
      const leftOf = (name: BudgetName): number =>
        Math.min(...owners.map((each) => counterOf(each, name).purse.look(now()).left))
      return { reads: leftOf('reads'), writes: leftOf('writes') }
    },
    settle: settler.settle,
    size: () => keys.size,
    close: settler.close,
  }
}

const allKeysOf = (accountId: string): BudgetOwner => ({ keyId: accountId, accountId })

const stateOf = (terms: Terms, decision: Decision): BudgetState => {
  const { allowed, left, resetMs, waitMs } = decision
  return {
    allowed,
    policy: terms.policy,
    rateLimit: rateLimitOf(terms.name, left, resetMs),
    retryAfterSeconds: Math.max(1, Math.ceil(waitMs / 1000)),
  }
}
