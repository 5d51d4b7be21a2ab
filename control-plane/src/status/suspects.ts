import type { Region } from '@probe-mesh/contracts/reading/regions'
import { staleAfterMs, weighMsOf } from './freshness.ts'
import { regionViews } from './region-status.ts'
import type { CheckSchedule, RegionState, Suspect } from './state.ts'

type Regions = Record<Region, RegionState>

const suspectOf = (state: RegionState | undefined): Suspect | null => state?.suspect ?? null

/**
 * The regions after every suspect that may count by now was counted; the same object where none may. A
 * failure counts once it was asked again, or another region fails as well. One without an answer, in no more
 * regions than find the target well, may be their own network's: it is weighed for as long as that takes to
 * show (S-907, S-908).
 */
export const countSuspects = (
  regions: Regions,
  schedule: CheckSchedule,
  nowMs: number,
): Regions => {
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

/** When the first suspect that was asked again has been weighed; Infinity where none is. */
export const weighedAtMs = (regions: Regions, schedule: CheckSchedule): number => {
  const weighMs = weighMsOf(schedule.intervalSeconds)
  let atMs = Number.POSITIVE_INFINITY
  for (const region of schedule.regions) {
    const suspect = suspectOf(regions[region])
    if (suspect?.confirmed === true) atMs = Math.min(atMs, heardAt(suspect) + weighMs)
  }
  return atMs
}

const heardAt = ({ heardAtMs, sinceMs }: Suspect): number => heardAtMs ?? sinceMs

const asFailing = (held: RegionState, suspect: Suspect): RegionState => {
  const { suspect: _counted, withheldReason, ...before } = held
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
