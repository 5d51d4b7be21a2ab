import type { LoopContext } from '../../stores/loop-context.ts'
import { createMetrics } from '@probe-mesh/runtime/metrics'
import { keysPerAccountBudget } from '@probe-mesh/contracts/api/request-pools'
import { findUsedPlaces, type QuotaName } from './quota-store.ts'
import { createQuotaCounter, type QuotaOwner, type QuotaCounter } from './quota-counter.ts'
import type { Decision } from './local-quota.ts'
import { rateLimitOf, quotaRulesOf, type QuotaRules } from './quota-rules.ts'
import { startSettler } from './settler.ts'
import { createCircuitBreaker } from './circuit-breaker.ts'

/** The state of a quota after a call: the values of the `RateLimit` header fields. */
export type RateLimitState = {
  allowed: boolean
  /** `RateLimit-Policy` and `RateLimit` of draft-ietf-httpapi-ratelimit-headers-11 */
  policy: string
  rateLimit: string
  /** When to retry a refused call: no other call is promised the same place. */
  retryAfterSeconds: number
  /** The call was refused by the shared quota of all keys of the account. */
  ofAccount?: true
}

/**
 * Limits the calls of each key (S-2301): one count in Postgres for all instances. Each instance leases small
 * blocks of places, so that most reads are decided from memory. The keys of an account with more than
 * `keysPerAccountBudget` keys also share one quota, counted under the account's id.
 */
export type KeyRateLimiter = {
  /** Counts one call of a key. */
  spend(owner: QuotaOwner, budget: QuotaName): RateLimitState | Promise<RateLimitState>
  /** The state without counting: for calls that are refused before they cost anything. */
  look(owner: QuotaOwner, budget: QuotaName): RateLimitState | Promise<RateLimitState>
  /** The quotas of a key, calls in a minute. */
  readonly perMinute: { readonly reads: number; readonly writes: number }
  /** The calls that are left, and the seconds until a used write is free again. */
  left(owner: QuotaOwner): Promise<{ reads: number; writes: number; writesResetSeconds: number }>
  /** Reports expired blocks and returns what is unused; a timer calls this as well. */
  settle(): Promise<void>
  /** Keys in memory. */
  size(): number
  /** Returns all leased blocks. */
  close(): Promise<void>
}

/** Keys in memory; of more, the oldest is forgotten: Postgres has its count. */
const keysMax = 20_000
const forgetMs = 60_000
/** How old the known state may be for a call that counts nothing. */
const lookAgeMsMax = 1_000

/**
 * @param scale the operator's factor on both quotas (`BUDGET_SCALE`)
 * @param databaseNow replaces the database's clock in tests; `now` is the clock of the instance
 * @param queryMsMax how long calls wait for Postgres, longer in tests on a busy machine
 */
export const createKeyRateLimiter = (
  capabilities: LoopContext & {
    scale: number
    databaseNow?: (() => number) | undefined
    queryMsMax?: number | undefined
  },
): KeyRateLimiter => {
  const { sql, now, scale, databaseNow } = capabilities
  const rules = { reads: quotaRulesOf('reads', scale), writes: quotaRulesOf('writes', scale) }
  const ofAccount = scale * keysPerAccountBudget
  const accountRules = {
    reads: quotaRulesOf('reads', ofAccount),
    writes: quotaRulesOf('writes', ofAccount),
  }
  const breaker = createCircuitBreaker(capabilities)
  const unsettled = new Set<QuotaCounter>()
  const context = { sql, now, databaseNow, breaker, unsettled }
  const keys = new Map<string, Record<QuotaName, QuotaCounter>>()
  createMetrics(capabilities.registry).readGauge(
    'budget_keys',
    'Keys whose quotas are in memory',
    () => keys.size,
  )

  const counterOf = (owner: QuotaOwner, name: QuotaName): QuotaCounter => {
    const known = keys.get(owner.keyId)
    if (known !== undefined) return known[name]
    const eldest = keys.size >= keysMax ? keys.keys().next().value : undefined
    if (eldest !== undefined) keys.delete(eldest)
    const { reads, writes } = owner.keyId === owner.accountId ? accountRules : rules
    const counters = {
      reads: createQuotaCounter(context, reads, owner),
      writes: createQuotaCounter(context, writes, owner),
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
      const quiet = [reads, writes].every((each) => !each.isSyncing() && each.local.isIdle(nowMs))
      if (quiet) keys.delete(keyId)
    }
  }
  const settler = startSettler({
    unsettled,
    log: capabilities.log,
    now,
    canQuery: breaker.canQuery,
    onRound: forgetQuiet,
  })

  /** Reads both counts of a key, for calls that count nothing. */
  const refresh = async (owner: QuotaOwner): Promise<void> => {
    if (!breaker.canQuery()) return
    const rows = await breaker.run(() =>
      findUsedPlaces(sql, owner.keyId, rules.reads.windowMs, databaseNow?.() ?? null),
    )
    if (rows === null) return
    for (const name of ['reads', 'writes'] as const) {
      const row = rows.find((each) => each.name === name)
      counterOf(owner, name).local.note(row?.used ?? 0, row?.resetMs ?? 0, now())
    }
  }

  const spend = (owner: QuotaOwner, name: QuotaName): RateLimitState | Promise<RateLimitState> => {
    const of = owner.keyId === owner.accountId ? accountRules[name] : rules[name]
    const decision = counterOf(owner, name).spend()
    return decision instanceof Promise ? decision.then((late) => stateOf(of, late)) : stateOf(of, decision)
  }
  /**
   * A call within its key's quota is still refused when the account's keys have used up their shared quota.
   */
  const spendOfAccount = async (
    { accountId }: QuotaOwner,
    name: QuotaName,
    ofKey: RateLimitState,
  ): Promise<RateLimitState> => {
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
      const { local } = counterOf(owner, name)
      if (local.ageMs(now()) < lookAgeMsMax) return stateOf(rules[name], local.look(now()))
      return refresh(owner).then(() => stateOf(rules[name], local.look(now())))
    },
    perMinute: { reads: rules.reads.quota, writes: rules.writes.quota },
    left: async (owner) => {
      const owners = owner.manyKeys === true ? [owner, allKeysOf(owner.accountId)] : [owner]
      await Promise.all(owners.map(refresh))
      const looks = (name: QuotaName): Decision[] =>
        owners.map((each) => counterOf(each, name).local.look(now()))
      const leftOf = (name: QuotaName): number => Math.min(...looks(name).map(({ left }) => left))
      const resetMs = Math.max(...looks('writes').map((decision) => decision.resetMs))
      const writesResetSeconds = Math.ceil(resetMs / 1000)
      return { reads: leftOf('reads'), writes: leftOf('writes'), writesResetSeconds }
    },
    settle: settler.settle,
    size: () => keys.size,
    close: settler.close,
  }
}

const allKeysOf = (accountId: string): QuotaOwner => ({ keyId: accountId, accountId })

const stateOf = (rules: QuotaRules, decision: Decision): RateLimitState => {
  const { allowed, left, resetMs, waitMs } = decision
  return {
    allowed,
    policy: rules.policy,
    rateLimit: rateLimitOf(rules.name, left, resetMs),
    retryAfterSeconds: Math.max(1, Math.ceil(waitMs / 1000)),
  }
}
