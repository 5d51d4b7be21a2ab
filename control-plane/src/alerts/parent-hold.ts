import { roundMsOf, weighMsOf } from '../status/freshness.ts'
import { regionViews } from '../status/region-status.ts'
import { appliesTo, type AlertRuleRecord } from './alert-rule.ts'
import type { WatchedCheck } from './evidence.ts'
import type { Alert, AlertHold } from './when-to-alert.ts'

/** A check that another one depends on, as one alert rule sees it. */
export type ParentNow = {
  check: WatchedCheck
  /** The open alert of the rule on it; null: none. */
  alert: Alert | null
  /** It has flips that the alert rules did not process yet. */
  hasNewFlips: boolean
  inMaintenance: boolean
}

/** The longest wait for a child that is not measured after the end of its parent's outage. */
const graceMsMax = 600_000

/**
 * The times during which parents hold the alert of a rule on a check (S-1950). A parent holds only if the same
 * rule tells of its outage, so that the receivers of the held alert learn of one of the two:
 * - while it is down;
 * - while it fails and is not confirmed, for the time of one confirmation after the alert is due;
 * - after its end, until the check is seen failing once more, or had the time of one round to recover.
 */
export const holdsOfParents = (
  { check, rule, alert }: { check: WatchedCheck; rule: AlertRuleRecord; alert: Alert },
  parents: readonly ParentNow[],
  nowMs: number,
): AlertHold[] =>
  parents.flatMap((parent): AlertHold[] => {
    const { inMaintenance, check: above } = parent
    if (inMaintenance || !appliesTo(rule, above) || !rule.statuses.includes('down')) return []
    const since = failingSinceMs(above, nowMs)
    const named = { checkId: above.id, name: above.name }
    if (above.state.status === 'down' && isTold(parent)) {
      const sinceMs = above.state.statusSinceMs ?? nowMs
      return [
        {
          startsAtMs: Math.min(sinceMs, since ?? sinceMs),
          endsAtMs: Infinity,
          parent: { ...named, sinceMs, isDown: true },
        },
      ]
    }
    const over = afterOutage(check, alert, above)
    if (since === null) return over
    const endsAtMs = alert.dueMs + weighMsOf(above.intervalSeconds)
    return [...over, { startsAtMs: since, endsAtMs, parent: { ...named, sinceMs: since, isDown: false } }]
  })

/** Whether the rule tells of the outage, by itself or with another check that holds it. */
const isTold = ({ alert, hasNewFlips }: ParentNow): boolean =>
  alert === null ? hasNewFlips : alert.phase !== 'held' || alert.heldBy !== undefined

/** Since when some region sees it fail, confirmed or not; null if none does. */
const failingSinceMs = ({ state, ...schedule }: WatchedCheck, nowMs: number): number | null => {
  const since = regionViews(state.regions, schedule, nowMs).flatMap(({ state: region, status }) => [
    ...(region.suspect ? [region.suspect.sinceMs] : []),
    ...(status === 'down' ? [region.failingSinceMs ?? region.measuredAt] : []),
  ])
  if (state.status === 'down') since.push(state.statusSinceMs ?? nowMs)
  return since.length === 0 ? null : Math.min(...since)
}

/** The time that a check has to recover after the parent that held it. */
const afterOutage = (check: WatchedCheck, { heldBy }: Alert, { id, state }: WatchedCheck): AlertHold[] => {
  const isOver = state.status === 'operational' || state.status === 'degraded'
  if (heldBy?.checkId !== id || !heldBy.isDown || !isOver || state.statusSinceMs === null) return []
  const endedMs = heldBy.endedMs ?? state.statusSinceMs
  const { regions, intervalSeconds } = check
  const failsStill = regionViews(check.state.regions, { regions, intervalSeconds }, endedMs).some(
    ({ state: region }) => region.verdict === 'down' && region.measuredAt > endedMs,
  )
  const graceMs = failsStill
    ? 0
    : Math.min(graceMsMax, roundMsOf(intervalSeconds) + weighMsOf(intervalSeconds))
  return [{ startsAtMs: heldBy.sinceMs, endsAtMs: endedMs + graceMs, parent: { ...heldBy, endedMs } }]
}
