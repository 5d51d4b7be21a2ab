import { startLoop } from '@probe-mesh/runtime/loop'
import { sourceMapLimits } from '@probe-mesh/contracts/error-tracking/source-map'
import type { Tier, TierLimits } from '@probe-mesh/contracts/account/tiers'
import type { Logger } from 'pino'
import { Counter } from 'prom-client'
import type { Registry } from 'prom-client'
import type { ClickHouse } from '../../stores/clickhouse/connect.ts'
import { purgeOccurrences } from '../../error-tracking/issues/occurrences-query.ts'
import {
  purgeReadings,
  isRewritingReadings,
  setReadingsRetention,
} from '../../readings/readings-retention.ts'
import { findUnpurged, markPurged } from '../../check-record/deleted-checks-store.ts'
import type { Sql } from '../../stores/postgres/connect.ts'
import {
  findUnpurgedProjects,
  markProjectsPurged,
  pruneErrorEventIds,
} from '../../error-tracking/projects/error-projects-store.ts'
import {
  deleteUnusedMaps,
  purgeSourceMaps,
} from '../../error-tracking/source-maps/error-source-maps-store.ts'
import { pruneChunks } from '../../error-tracking/source-maps/error-upload-chunks-store.ts'
import { pruneSpikes } from '../../error-tracking/alert/error-spikes-store.ts'
import { pruneClaims } from '../../operations/idempotency-store.ts'
import { pruneLogins } from '../../login/prune-logins-store.ts'
import { createSetAsidePurge } from './purge-set-aside.ts'
import { advanceRetentionChange, findRetentionChange } from './retention-changes-store.ts'

/** Checks whose stored readings one step sees to. */
export const checksPerStep = 200

/**
 * One step of carrying out the oldest change of a tier: some checks of the account. Killed in between
 * it is repeated, which changes nothing more. The next one waits until the store has done this one (S-719).
 * @param delayMs so long after the change no reading is stored by the former tier any more
 * @returns how many checks; null where there is nothing to do now
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
/** Between statements that each remove as much as one may. */
const busyPaceMs = 50
const checksPerPurge = 200
/** How often expired keys of requests and expired logins are looked for. */
const expiredMs = 60_000
const rowsPerPurge = 1_000
/** As long as occurrences are kept. */
const spikeAgeMsMax = 90 * 86_400_000
/** How long an event's id is known for one that came before. */
const eventIdAgeMsMax = 30 * 86_400_000

const unusedMapMsMax = sourceMapLimits.unusedDaysMax * 86_400_000
/** Longer than a batch's decisions, which may have found the map, can take to be written. */
const deletedMapMsMin = 600_000
/** Each may be some megabytes. */
const mapsPerPurge = 200

export type Purger = { close(): Promise<void> }

/**
 * Removes what nobody may see any more: the history of deleted checks, also of those deleted while
 * ClickHouse was away, what a changed tier no longer keeps, and what has expired.
 */
export const startPurger = (capabilities: {
  sql: Sql
  clickhouse: ClickHouse
  tiers: Readonly<Record<Tier, TierLimits>>
  registry: Registry
  log: Logger
  now: () => number
  /** How long after its deletion a check is purged: longer than ingest may believe that it exists. */
  delayMs: number
}): Purger => {
  const { sql, clickhouse, tiers, log, now, delayMs } = capabilities
  const purged = new Counter({
    name: 'purge_checks_total',
    help: 'Deleted checks whose history was removed',
    registers: [capabilities.registry],
  })
  const restamped = new Counter({
    name: 'purge_retention_checks_total',
    help: 'Checks whose stored readings are kept as long as a changed tier says',
    registers: [capabilities.registry],
  })
  const purgeSetAside = createSetAsidePurge(capabilities)
  let expiredAtMs = Number.NEGATIVE_INFINITY

  /** @returns whether there may be more */
  const purgeExpired = async (): Promise<boolean> => {
    const nowMs = now()
    if (Math.abs(nowMs - expiredAtMs) < expiredMs) return false
    const claims = await pruneClaims(sql, nowMs, rowsPerPurge)
    const logins = await pruneLogins(sql, nowMs, rowsPerPurge)
    const ids = await pruneErrorEventIds(sql, nowMs - eventIdAgeMsMax, rowsPerPurge)
    const spikes = await pruneSpikes(sql, nowMs - spikeAgeMsMax, rowsPerPurge)
    await deleteUnusedMaps(sql, nowMs - unusedMapMsMax, nowMs, rowsPerPurge)
    const maps = await purgeSourceMaps(sql, nowMs - deletedMapMsMin, mapsPerPurge)
    const chunks = await pruneChunks(sql, nowMs - sourceMapLimits.chunkAgeMsMax, mapsPerPurge)
    const isMore =
      Math.max(claims, logins, ids, spikes) >= rowsPerPurge ||
      Math.max(maps, chunks) >= mapsPerPurge
    if (!isMore) expiredAtMs = nowMs
    return isMore
  }

  const purgeProjects = async (): Promise<void> => {
    const projectIds = await findUnpurgedProjects(sql, now() - delayMs, checksPerPurge)
    if (projectIds.length === 0) return
    await purgeOccurrences(clickhouse, projectIds)
    await markProjectsPurged(sql, projectIds, now())
  }

  /** @returns what the step says, or false where it failed */
  const attempt = async (
    step: () => Promise<boolean | void>,
    failure: string,
  ): Promise<boolean> => {
    try {
      return (await step()) === true
    } catch (error) {
      log.warn({ err: error }, failure)
      return false
    }
  }
  /** @returns whether there was one */
  const purgeChecks = async (): Promise<boolean> => {
    const checkIds = await findUnpurged(sql, now() - delayMs, checksPerPurge)
    if (checkIds.length === 0) return false
    await purgeReadings(clickhouse, checkIds)
    await markPurged(sql, checkIds, now())
    purged.inc(checkIds.length)
    return true
  }
  /** @returns whether one was applied */
  const changeRetention = async (): Promise<boolean> => {
    const checks = await applyRetention(capabilities, tiers, { nowMs: now(), delayMs })
    if (checks === null) return false
    restamped.inc(checks)
    return true
  }
  let isBusy = false
  const loop = startLoop({
    round: async () => {
      isBusy = false
      const wasPurged = await attempt(
        purgeChecks,
        'history of deleted checks cannot be removed; trying again',
      )
      if (wasPurged) return 'again'
      const wasChanged = await attempt(
        changeRetention,
        'a changed retention cannot be applied; trying again',
      )
      if (wasChanged) return 'again'
      await attempt(purgeSetAside, 'what was set aside cannot be bounded; trying again')
      await attempt(purgeProjects, 'deleted error projects cannot be purged; trying again')
      // as many as come in a busy minute are more than one statement should take
      isBusy = await attempt(purgeExpired, 'what has expired cannot be removed; trying again')
      return undefined
    },
    everyMs: () => (isBusy ? busyPaceMs : paceMs),
    onError: (error) => {
      throw error
    },
  })
  return {
    close: loop.close,
  }
}
