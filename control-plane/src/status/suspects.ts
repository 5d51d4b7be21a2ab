import type { Region } from '@probe-mesh/contracts/reading/regions'
import { staleAfterMs, weighMsOf } from './freshness.ts'
import { regionViews } from './region-status.ts'
import type { CheckSchedule, RegionState, Suspect } from './state.ts'
import { countsAtOnce } from './status-rule.ts'

type Regions = Record<Region, RegionState>

const suspectOf = (state: RegionState | undefined): Suspect | null => state?.suspect ?? null

/**
 * Counts every suspect that can count by now; returns the same object if none can. A failure counts after a
 * failed confirmation, or when another region fails as well. A failure without an answer, in no more regions
 * than reach the target, may be due to the regions' own network: it is held back until that would show
 * (S-907, S-908).
 */
export const countSuspects = (regions: Regions, schedule: CheckSchedule, nowMs: number): Regions => {
  if (!schedule.regions.some((region) => suspectOf(regions[region]) !== null)) return regions
  const freshFromMs = nowMs - staleAfterMs(schedule.intervalSeconds)
  const suspects = schedule.regions.flatMap((region) => {
    const suspect = suspectOf(regions[region])
    return suspect === null || suspect.measuredAt < freshFromMs ? [] : [{ region, suspect }]
  })
  if (suspects.length === 0) return regions
  const suspected = new Set(suspects.map(({ region }) => region))
  const others = regionViews(regions, schedule, nowMs).filter(
    ({ region, fresh }) => fresh && !suspected.has(region),
  )
  const failing = suspects.length + others.filter(({ status }) => status === 'down').length
  const well = others.filter(({ status }) => status === 'up').length
  const weighMs = weighMsOf(schedule.intervalSeconds)
  const counted = suspects.filter(({ suspect }) => {
    const { confirmed, unanswered } = suspect
    if (countsAtOnce(schedule.statusRule, unanswered)) return true
    if (!confirmed && failing < 2) return false
    return !unanswered || failing > well || (confirmed && nowMs >= heardAt(suspect) + weighMs)
  })
  if (counted.length === 0) return regions
  const after = { ...regions }
  for (const { region, suspect } of counted) {
    const held = after[region]
    if (held !== undefined) after[region] = asFailing(held, suspect)
  }
  return after
}

/**
 * When the first confirmed suspect has been held back long enough; Infinity if there is none. A suspect that is
 * no longer fresh by then never counts.
 */
export const weighedAtMs = (regions: Regions, schedule: CheckSchedule, nowMs: number): number => {
  const weighMs = weighMsOf(schedule.intervalSeconds)
  const staleAfter = staleAfterMs(schedule.intervalSeconds)
  let atMs = Number.POSITIVE_INFINITY
  for (const region of schedule.regions) {
    const suspect = suspectOf(regions[region])
    if (suspect?.confirmed !== true) continue
    const weighedAt = heardAt(suspect) + weighMs
    if (Math.max(weighedAt, nowMs) <= suspect.measuredAt + staleAfter) atMs = Math.min(atMs, weighedAt)
  }
  return atMs
}

const heardAt = ({ heardAtMs, sinceMs }: Suspect): number => heardAtMs ?? sinceMs

const asFailing = (held: RegionState, suspect: Suspect): RegionState => {
  const { suspect: _counted, withheldReason, fails: _former, slows: _well, ...before } = held
  const { sinceMs, confirmed: _asked, heardAtMs: _heard, ...failed } = suspect
  return {
    ...before,
    ...failed,
    verdict: 'down',
    goods: 0,
    failing: true,
    failingSinceMs: sinceMs,
    withdrawnAt: null,
    ...((withheldReason ?? null) !== null && { withheldReason: null }),
  }
}
