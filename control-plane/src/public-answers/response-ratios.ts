import { median } from './statistics.ts'

/** The median, over `services` services, of each one's response time divided by its own usual time. */
export type ResponseRatio = { ratio: number; services: number }

/** Response times of one probe in one region at this hour of each of the last days, ms. */
type ProbeDays = { slug: string; days: readonly (number | null)[] }

/** The fewest days that make a usual time. */
export const usualDaysMin = 3
/** A usual time below one tick of the agents' clocks gives no ratio. */
const clockTickMs = 0.001

export type UsualTimes = {
  /** The ratio of each day, without days that have no data. */
  days: ResponseRatio[]
  /** @param times response times of the same probes in the same order, ms; null without a measurement */
  ratioOf(times: readonly (number | null)[]): ResponseRatio | null
}

/**
 * The usual times of a region's services, for comparison with other times. Each service is compared with
 * itself, so the ratio does not depend on which services answer. A service with several probes counts once.
 */
export const usualTimesOf = (probes: readonly ProbeDays[]): UsualTimes => {
  const usual = probes.flatMap(({ slug, days }, index) => {
    const known = days.filter((ms) => ms !== null)
    const usualMs = median(known)
    return known.length >= usualDaysMin && usualMs >= clockTickMs ? [{ slug, index, usualMs }] : []
  })
  const ratioAt = (timeOf: (index: number) => number | null): ResponseRatio | null => {
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
  const days = Array.from({ length: count }, (_, day) => ratioAt((index) => probes[index]?.days[day] ?? null))
  return {
    days: days.filter((day) => day !== null),
    ratioOf: (times) => ratioAt((index) => times[index] ?? null),
  }
}
