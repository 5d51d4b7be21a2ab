import { median } from './statistics.ts'

/** The median over services of each one's response time over its own usual one, and of how many. */
export type Pace = { ratio: number; services: number }

/** What was measured of one probe in one region at this hour of each of the last days, ms. */
type ProbeDays = { slug: string; days: readonly (number | null)[] }

/** With fewer days nothing is usual. */
export const usualDaysMin = 3
/** Nothing is answered within a tick of the agents' clocks, of which no ratio could be told. */
const clockTickMs = 0.001

export type UsualPaces = {
  /** Of each day, beside what is usual; those of which nothing is known are left out. */
  days: Pace[]
  /** @param times of the same probes in the same order, ms; null where nothing was measured */
  paceOf(times: readonly (number | null)[]): Pace | null
}

/**
 * How fast the services of a region are beside what is usual of each: which of them answer, and which
 * do not, changes nothing. A service of several probes counts once.
 */
export const usualPaces = (probes: readonly ProbeDays[]): UsualPaces => {
  const usual = probes.flatMap(({ slug, days }, index) => {
    const known = days.filter((ms) => ms !== null)
    const usualMs = median(known)
    return known.length >= usualDaysMin && usualMs >= clockTickMs ? [{ slug, index, usualMs }] : []
  })
  const paceAt = (timeOf: (index: number) => number | null): Pace | null => {
    const ratios = new Map<string, number[]>()
    for (const { slug, index, usualMs } of usual) {
      const ms = timeOf(index)
      if (ms === null) continue
      const own = ratios.get(slug)
      if (own === undefined) ratios.set(slug, [ms / usualMs])
      else own.push(ms / usualMs)
    }
    const ofServices = [...ratios.values()].map((own) => (own.length === 1 ? (own[0] ?? 0) : median(own)))
    return ofServices.length === 0 ? null : { ratio: median(ofServices), services: ofServices.length }
  }
  const count = Math.max(0, ...probes.map(({ days }) => days.length))
  const days = Array.from({ length: count }, (_, day) => paceAt((index) => probes[index]?.days[day] ?? null))
  return {
    days: days.filter((day) => day !== null),
    paceOf: (times) => paceAt((index) => times[index] ?? null),
  }
}
