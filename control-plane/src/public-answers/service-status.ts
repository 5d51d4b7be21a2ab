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
  const grade = gradeShownIn(views, probes)
  if (grade === null) return { grade, addresses: [] }
  const least = probeGrades.indexOf(grade)
  const good = new Set(views.filter(isUp).flatMap(({ goodProbes }) => goodProbes))
  const addresses = probes.flatMap((probe, index) =>
    good.has(index) && rankIn(probes, index) >= least ? probedAddress(probe) : [],
  )
  return { grade, addresses: [...new Set(addresses)] }
}

/** The grade alone: most callers need no addresses. */
export const gradeShownIn = (
  views: readonly RegionView[],
  probes: readonly GradedProbe[],
): ProbeGrade | null => {
  let least: number = probeGrades.length
  for (const view of views) {
    if (!isUp(view)) continue
    let best = 0
    for (const probe of view.goodProbes) best = Math.max(best, rankIn(probes, probe))
    least = Math.min(least, best)
  }
  return probeGrades[least] ?? null
}

const isUp = ({ fresh, status }: RegionView): boolean => fresh && status === 'up'

const rankIn = (probes: readonly GradedProbe[], probe: number): number =>
  probeGrades.indexOf(probes[probe]?.grade ?? probeGrades[0])

/** The host of a probe, and the path if it only serves a file: no more was shown. */
export const probedAddress = (probe: GradedProbe): string => {
  const known = addresses.get(probe)
  if (known !== undefined) return known
  const address = readAddress(probe)
  addresses.set(probe, address)
  return address
}

/** Probes of the catalog do not change, and to parse a URL costs more than the rest of a status. */
const addresses = new WeakMap<GradedProbe, string>()

const readAddress = ({ url, grade }: GradedProbe): string => {
  const parsed = URL.parse(url)
  if (parsed === null) return url
  return grade === 'edge' ? `${parsed.host}${parsed.pathname}` : parsed.host
}
