import type { ServiceStatus } from '@probe-mesh/contracts/outage/answers'
import { failingAtOnce } from '../status/aggregate.ts'
import type { RegionView } from './region-reading.ts'
import { probeGrades, type GradedProbe, type ProbeGrade } from '@probe-mesh/contracts/outage/catalog-grade'

/** The statuses of a service in the catalog. */
export type MeasuredStatus = Exclude<ServiceStatus, 'not_covered'>

/** The status of a service from its fresh readings (S-1203, S-1204). */
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

/** Whether all these regions failed at the same time, as far as their times are known. */
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

/**
 * What the good readings show, and the probed addresses that show it; the grade is null without a good
 * reading.
 */
export type Shown = { grade: ProbeGrade | null; addresses: readonly string[] }

/** The lowest grade among the best good probes of the regions. */
export const shownIn = (views: readonly RegionView[], probes: readonly GradedProbe[]): Shown => {
  const rankOf = (probe: number): number => probeGrades.indexOf(probes[probe]?.grade ?? probeGrades[0])
  const up = views.filter(({ fresh, status }) => fresh && status === 'up')
  if (up.length === 0) return { grade: null, addresses: [] }
  const least = Math.min(
    probeGrades.length - 1,
    ...up.map(({ goodProbes }) => Math.max(0, ...goodProbes.map(rankOf))),
  )
  const grade = probeGrades[least] ?? probeGrades[0]
  const good = new Set(up.flatMap(({ goodProbes }) => goodProbes))
  const addresses = probes.flatMap((probe, index) =>
    good.has(index) && rankOf(index) >= least ? probedAddress(probe) : [],
  )
  return { grade, addresses: [...new Set(addresses)] }
}

/** The host of a probe, and the path if it only serves a file: no more was shown. */
export const probedAddress = ({ url, grade }: GradedProbe): string => {
  if (!URL.canParse(url)) return url
  const { host, pathname } = new URL(url)
  return grade === 'edge' ? `${host}${pathname}` : host
}
