import { faultsOf, keepLooping, type Work } from '@probe-mesh/control-plane/src/stores/faults'
import type { Tier, TierLimits } from '@probe-mesh/contracts/account/tiers'
import type { Logger } from 'pino'
import { withDeadline } from '@probe-mesh/runtime/deadline'
import { monthOf, type QuotaPercent } from '../events/quota.ts'
import { countReachedQuotas } from '../projects/error-quotas-store.ts'
import { findAccountUsage } from '../projects/ingest-keys-store.ts'
import type { Sql } from '@probe-mesh/control-plane/src/stores/postgres/connect'

const paceMs = 2_000
const measureMs = 10_000
/** A hanging query must not stop later refreshes. */
const queryMsMax = 5_000
/** Accounts without events for this time leave the cache. */
const idleMsMax = 600_000
const accountsMax = 20_000

type QuotaCache = {
  /** Whether the account's monthly quota is used up, as of the last refresh some seconds ago. */
  isSpent(accountId: string): boolean
  /** The account's monthly quota as of the last refresh; null before the first one. */
  quotaOf(accountId: string): number | null
  refresh(): Promise<void>
  close(): Promise<void>
}

/**
 * Accounts with a used up monthly quota, in memory, so that SDKs get a 429 without a query. The persister
 * enforces the quota exactly.
 */
export const createQuotaCache = (capabilities: {
  sql: Sql
  tiers: Readonly<Record<Tier, TierLimits>>
  log: Logger
  now: () => number
  /** Called with the number of accounts, in the whole database, that reached each threshold this month. */
  onMeasured(accounts: ReadonlyMap<QuotaPercent, number>): void
}): QuotaCache => {
  const { sql, tiers, log, now } = capabilities
  /** `spentMonth`: the month with a used up quota. */
  const accounts = new Map<
    string,
    { lastEventAtMs: number; spentMonth: string | null; quota: number | null }
  >()

  const refresh = async (): Promise<void> => {
    const nowMs = now()
    for (const [accountId, { lastEventAtMs }] of accounts) {
      if (nowMs - lastEventAtMs > idleMsMax) accounts.delete(accountId)
    }
    if (accounts.size === 0) return
    const month = monthOf(nowMs)
    for (const { accountId, tier, spent } of await findAccountUsage(sql, [...accounts.keys()], month)) {
      const account = accounts.get(accountId)
      const quota = tiers[tier].errorEventsPerMonth
      if (account === undefined) continue
      account.spentMonth = spent >= quota ? month : null
      account.quota = quota
    }
  }
  let measuredAtMs = Number.NEGATIVE_INFINITY
  const measure = async (): Promise<void> => {
    if (Math.abs(now() - measuredAtMs) < measureMs) return
    measuredAtMs = now()
    const counted = await countReachedQuotas(sql, monthOf(now()))
    capabilities.onMeasured(new Map(counted.map(({ percent, accounts }) => [percent, accounts])))
  }
  const [refreshing, measuring] = [
    { what: 'quotas of error events cannot be read; the last known ones are used' },
    { what: 'used quotas of error events cannot be counted' },
  ]
  const withTimeout = (work: Work, query: () => Promise<void>): Promise<boolean> =>
    faultsOf(log).attempt(work, () => withDeadline(query(), queryMsMax))
  const loop = keepLooping(log, {
    what: 'quotas of error events cannot be kept',
    round: async () => {
      await withTimeout(refreshing, refresh)
      await withTimeout(measuring, measure)
    },
    everyMs: paceMs,
  })

  return {
    isSpent: (accountId) => {
      const known = accounts.get(accountId)
      if (known !== undefined) known.lastEventAtMs = now()
      else if (accounts.size < accountsMax) {
        accounts.set(accountId, { lastEventAtMs: now(), spentMonth: null, quota: null })
      }
      // runs for every event, so the month is computed last
      return known !== undefined && known.spentMonth !== null && known.spentMonth === monthOf(now())
    },
    quotaOf: (accountId) => accounts.get(accountId)?.quota ?? null,
    refresh,
    close: loop.close,
  }
}
