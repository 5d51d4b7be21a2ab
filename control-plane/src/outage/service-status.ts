import type { ServiceStatus } from '@probe-mesh/contracts/outage/answers'
import { failingAtOnce } from '../status/aggregate.ts'
import type { RegionView } from './region-reading.ts'
import { probeGrades } from '@probe-mesh/contracts/outage/catalog-grade'
import type { GradedProbe, ProbeGrade } from '@probe-mesh/contracts/outage/catalog-grade'

/** What probes can say of a service that they do measure. */
export type MeasuredStatus = Exclude<ServiceStatus, 'not_covered'>

/**
 * A service's status, over its fresh readings only (S-1203, S-1204).
 */
export const serviceStatus = (views: readonly RegionView[]): MeasuredStatus => {
  const fresh = views.filter((view) => view.fresh)
  const has = (status: RegionView['status']): boolean => fresh.some((view) => view.status === status)
  if (fresh.length === 0) return 'no_data'
  if (has('down')) {
    const isEverywhere = !has('up') && !has('blocked') && isAtOnce(fresh)
    return isEverywhere ? 'down' : 'down_in_some_regions'
  }
  return has('up') ? 'up' : 'blocked'
}

/** Whether all of these regions failed at one time, as far as their times are known. */
const isAtOnce = (failing: readonly RegionView[]): boolean => {
  const readings = failing.flatMap(({ reading }) => reading ?? [])
  const runs = readings.map(({ failingSinceMs = 0, measuredAt, roundAtMs = null }) => ({
    sinceMs: failingSinceMs,
    untilMs: measuredAt,
    roundAtMs,
  }))
  const rounds = readings.flatMap(({ roundAtMs }) => roundAtMs ?? [])
  return failingAtOnce(runs, rounds) === failing.length
}

/** What good readings show in every region that has one, and the addresses that show it; null where none is good. */
export type Shown = { grade: ProbeGrade | null; places: readonly string[] }

/** The least that any region's best good probe shows. */
export const shownIn = (views: readonly RegionView[], probes: readonly GradedProbe[]): Shown => {
  const rankOf = (probe: number): number => probeGrades.indexOf(probes[probe]?.grade ?? probeGrades[0])
  const up = views.filter(({ fresh, status }) => fresh && status === 'up')
  if (up.length === 0) return { grade: null, places: [] }
  const least = Math.min(
    probeGrades.length - 1,
    ...up.map(({ goodProbes }) => Math.max(0, ...goodProbes.map(rankOf))),
  )
  const grade = probeGrades[least] ?? probeGrades[0]
  const good = new Set(up.flatMap(({ goodProbes }) => goodProbes))
  const places = probes.flatMap((probe, index) =>
    good.has(index) && rankOf(index) >= least ? placeOf(probe) : [],
  )
  return { grade, places: [...new Set(places)] }
}

/** The host, and of a file its path: that is all that was shown. */
export const placeOf = ({ url, grade }: GradedProbe): string => {
  if (!URL.canParse(url)) return url
  const { host, pathname } = new URL(url)
  return grade === 'edge' ? `${host}${pathname}` : host
}
