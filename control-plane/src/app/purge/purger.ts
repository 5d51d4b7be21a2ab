import type { LoopContext } from '../../stores/loop-context.ts'
import { faultsOf, keepLooping, type Work } from '../../stores/faults.ts'
import { createMetrics } from '@probe-mesh/runtime/metrics'
import type { Tier, TierLimits } from '@probe-mesh/contracts/account/tiers'
import type { ClickHouse } from '../../stores/clickhouse/connect.ts'
import { purgeReadings, isRewritingReadings, setReadingsRetention } from '../../readings/change-retention.ts'
import { findUnpurged, markPurged } from '../../records/check/deleted-checks-store.ts'
import type { Sql } from '../../stores/postgres/connect.ts'
import { createErrorPurge } from '@probe-mesh/error-tracking/feature'
import { pruneClaims } from '../../accounts/operations/idempotency-store.ts'
import { pruneAlertLinks } from '../../alerts/alert-links-store.ts'
import { pruneLogins } from '../../login/prune-logins-store.ts'
import { createSetAsidePurge } from './purge-set-aside.ts'
import { advanceRetentionChange, findRetentionChange } from './retention-changes-store.ts'

/** The number of checks in one step. */
export const checksPerStep = 200

/**
 * Applies the retention of the oldest change of a plan to some checks of the account. A step that was
 * interrupted is repeated without harm. The next step waits until ClickHouse has finished this one (S-719).
 * @param delayMs how long after the change readings may still be stored with the retention of the former plan
 * @returns the number of checks; null if there is nothing to do now
 */
export const applyRetention = async (
  { sql, clickhouse }: { sql: Sql; clickhouse: ClickHouse },
  tiers: Readonly<Record<Tier, TierLimits>>,
  { nowMs, delayMs }: { nowMs: number; delayMs: number },
): Promise<number | null> => {
  const change = await findRetentionChange(sql, nowMs - delayMs, checksPerStep)
  if (change === null || (await isRewritingReadings(clickhouse))) return null
  await setReadingsRetention(clickhouse, change.checkIds, tiers[change.tier])
  await advanceRetentionChange(sql, change)
  return change.checkIds.length
}

const paceMs = 5_000
/** The pause between statements that each delete the most allowed rows. */
const busyPaceMs = 50
const checksPerPurge = 200
/** The pace of the search for expired rows. */
const expiredMs = 60_000
const rowsPerPurge = 1_000

export type Purger = { close(): Promise<void> }

/**
 * Deletes the history of deleted checks, including those deleted while ClickHouse was unavailable, history
 * beyond the retention of a changed plan, and expired rows.
 */
export const startPurger = (
  capabilities: LoopContext & {
    clickhouse: ClickHouse
    tiers: Readonly<Record<Tier, TierLimits>>
    /** How long after its deletion a check is purged. Longer than ingest caches the check. */
    delayMs: number
  },
): Purger => {
  const { sql, clickhouse, tiers, log, now, delayMs } = capabilities
  const metric = createMetrics(capabilities.registry)
  const purged = metric.counter('purge_checks_total', 'Deleted checks whose history was deleted')
  const restamped = metric.counter(
    'purge_retention_checks_total',
    'Checks whose stored readings got the retention of a changed plan',
  )
  const purgeSetAside = createSetAsidePurge(capabilities)
  const errors = createErrorPurge(capabilities)
  let expiredAtMs = Number.NEGATIVE_INFINITY

  /** @returns whether there may be more */
  const purgeExpired = async (): Promise<boolean> => {
    const nowMs = now()
    if (Math.abs(nowMs - expiredAtMs) < expiredMs) return false
    const claims = await pruneClaims(sql, nowMs, rowsPerPurge)
    const logins = await pruneLogins(sql, nowMs, rowsPerPurge)
    const links = await pruneAlertLinks(sql, nowMs, rowsPerPurge)
    const areErrorsMore = await errors.expired(nowMs)
    const isMore = Math.max(claims, logins, links) >= rowsPerPurge || areErrorsMore
    if (!isMore) expiredAtMs = nowMs
    return isMore
  }

  const faults = faultsOf(log)
  /** @returns the result of the step, or false if it failed */
  const attempt = async (work: Work, step: () => Promise<boolean | void>): Promise<boolean> => {
    let isMore = false
    await faults.attempt(work, async () => {
      isMore = (await step()) === true
    })
    return isMore
  }
  /** @returns whether a check was purged */
  const purgeChecks = async (): Promise<boolean> => {
    const checkIds = await findUnpurged(sql, now() - delayMs, checksPerPurge)
    if (checkIds.length === 0) return false
    await purgeReadings(clickhouse, checkIds)
    await markPurged(sql, checkIds, now())
    purged.inc(checkIds.length)
    return true
  }
  /** @returns whether a change was applied */
  const changeRetention = async (): Promise<boolean> => {
    const checks = await applyRetention(capabilities, tiers, { nowMs: now(), delayMs })
    if (checks === null) return false
    restamped.inc(checks)
    return true
  }
  const works = {
    checks: { what: 'the history of deleted checks cannot be deleted' },
    retention: { what: 'a changed retention cannot be applied' },
    setAside: { what: 'poison messages, outbox and deliveries cannot be pruned' },
    projects: { what: 'deleted error projects cannot be purged' },
    expired: { what: 'expired rows cannot be deleted' },
  }
  let isBusy = false
  const loop = keepLooping(log, {
    what: 'expired data cannot be deleted',
    round: async () => {
      isBusy = false
      const wasPurged = await attempt(works.checks, purgeChecks)
      if (wasPurged) return 'again'
      const wasChanged = await attempt(works.retention, changeRetention)
      if (wasChanged) return 'again'
      await attempt(works.setAside, purgeSetAside)
      await attempt(works.projects, () => errors.projects(now()))
      // a busy minute expires more rows than one statement should delete
      isBusy = await attempt(works.expired, purgeExpired)
      return undefined
    },
    everyMs: () => (isBusy ? busyPaceMs : paceMs),
  })
  return {
    close: loop.close,
  }
}
