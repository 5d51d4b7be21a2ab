import { probeGrades } from '@probe-mesh/contracts/outage/catalog-grade'
import type { GradedProbe, ProbeGrade } from '@probe-mesh/contracts/outage/catalog-grade'
import type { RegionView } from './region-reading.ts'

/** What good readings show in every region that has one, and the addresses that show it; null where none is good. */
export type Shown = { grade: ProbeGrade | null; places: readonly string[] }

/** The least that any region's best good probe shows. */
export const shownIn = (views: readonly RegionView[], probes: readonly GradedProbe[]): Shown => {
  const rankOf = (probe: number): number =>
    probeGrades.indexOf(probes[probe]?.grade ?? probeGrades[0])
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
