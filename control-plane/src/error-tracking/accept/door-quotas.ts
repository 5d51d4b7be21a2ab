import { startLoop } from '@probe-mesh/runtime/loop'
import type { Tier, TierLimits } from '@probe-mesh/contracts/account/tiers'
import type { Logger } from 'pino'
import { withDeadline } from '@probe-mesh/runtime/deadline'
import { monthOf } from '../events/quota.ts'
import { countReachedQuotas } from '../projects/error-quotas-store.ts'
import { findDoorAccounts } from '../projects/error-door-store.ts'
import type { Sql } from '../../stores/postgres/connect.ts'
import type { QuotaPercent } from '../events/quota.ts'

const paceMs = 2_000
const measureMs = 10_000
/** A statement that never ends must not blind the door for good. */
const lookMsMax = 5_000
/** Accounts that sent something lately are looked after. */
const quietMsMax = 600_000
const accountsMax = 20_000

type DoorQuotas = {
  /** Whether the account's month was spent when it was last looked; some seconds old. */
  isSpent(accountId: string): boolean
  /** Events a month of the account's tier when it was last looked; null where nobody looked yet. */
  quotaOf(accountId: string): number | null
  /** Looks now. */
  refresh(): Promise<void>
  close(): Promise<void>
}

/**
 * Which accounts have spent their month, in memory, so that their clients are told at once. What is
 * stored in the end the persister decides exactly.
 */
export const createDoorQuotas = (capabilities: {
  sql: Sql
  tiers: Readonly<Record<Tier, TierLimits>>
  log: Logger
  now: () => number
  /** Told now and then how many accounts of the whole database reached each part of this month. */
  onMeasured(accounts: ReadonlyMap<QuotaPercent, number>): void
}): DoorQuotas => {
  const { sql, tiers, log, now } = capabilities
  /** By account: when it was heard of, and the month that is spent. */
  const accounts = new Map<string, { heardAtMs: number; spentMonth: string | null; quota: number | null }>()

  const refresh = async (): Promise<void> => {
    const nowMs = now()
    for (const [accountId, { heardAtMs }] of accounts) {
      if (nowMs - heardAtMs > quietMsMax) accounts.delete(accountId)
    }
    if (accounts.size === 0) return
    const month = monthOf(nowMs)
    for (const { accountId, tier, spent } of await findDoorAccounts(sql, [...accounts.keys()], month)) {
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
  const bounded = async (look: () => Promise<void>): Promise<void> => {
    try {
      await withDeadline(look(), lookMsMax)
    } catch (error) {
      log.warn({ err: error }, 'error event quotas cannot be read; using the last known ones')
    }
  }
  const loop = startLoop({
    round: async () => {
      await bounded(refresh)
      await bounded(measure)
    },
    everyMs: paceMs,
    onError: (error) => {
      throw error
    },
  })

  return {
    isSpent: (accountId) => {
      const known = accounts.get(accountId)
      if (known !== undefined) known.heardAtMs = now()
      else if (accounts.size < accountsMax) {
        accounts.set(accountId, { heardAtMs: now(), spentMonth: null, quota: null })
      }
      // the month is asked for only where it matters: this is asked of every event
      return known !== undefined && known.spentMonth !== null && known.spentMonth === monthOf(now())
    },
    quotaOf: (accountId) => accounts.get(accountId)?.quota ?? null,
    refresh,
    close: loop.close,
  }
}
