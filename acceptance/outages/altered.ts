import type { Vantage, World } from './world.ts'

/** The same outage at another time, seen from other places, faster, or with its long stretches cut. */

export const shifted = (world: World, byMs: number): World => mapTimes(world, (ms) => ms + byMs)

/** @param to where each vantage point's part of the world is played instead; each is named once */
export const permuted = (world: World, to: Readonly<Record<Vantage, Vantage>>): World => ({
  ...world,
  facts: world.facts.map((fact) => ({
    ...fact,
    where: typeof fact.where === 'string' ? fact.where : fact.where.map((region) => to[region]),
  })),
  conditions: world.conditions.map((condition) => ({
    ...condition,
    regions: condition.regions.map((region) => to[region]),
  })),
})

/** Time passes `factor` times as fast from the world's beginning on. */
export const compressed = (world: World, factor: number): World => {
  const faster = mapTimes(world, (ms) => world.from + (ms - world.from) / factor)
  return {
    ...faster,
    conditions: faster.conditions.map(({ flaps, ...condition }) => ({
      ...condition,
      ...(flaps === undefined
        ? {}
        : {
            flaps: {
              failsSeconds: flaps.failsSeconds / factor,
              worksSeconds: flaps.worksSeconds / factor,
            },
          }),
    })),
  }
}

/**
 * Nothing happens for longer than this: what lies between two instants of the world is cut at its
 * end, so that hours of the same take minutes.
 */
export const withoutLongStretches = (world: World, stretchMsMax: number): World => {
  const instants = instantsOf(world)
  const places = new Map<number, number>()
  let place = world.from
  for (const [index, ms] of instants.entries()) {
    place += Math.min(ms - (instants[index - 1] ?? ms), stretchMsMax)
    places.set(ms, place)
  }
  // what happened before the world begins keeps its distance to it
  const beginsMs = (places.get(world.from) ?? world.from) - world.from
  return mapTimes(world, (ms) => (places.get(ms) ?? ms) - beginsMs)
}

/** Every instant that the world names, in order. */
export const instantsOf = (world: World): number[] => {
  const instants = new Set<number>()
  mapTimes(world, (ms) => {
    instants.add(ms)
    return ms
  })
  return [...instants].toSorted((a, b) => a - b)
}

const mapTimes = (world: World, map: (ms: number) => number): World => ({
  ...world,
  from: map(world.from),
  until: map(world.until),
  facts: world.facts.map((fact) => ({ ...fact, at: map(fact.at) })),
  conditions: world.conditions.map((condition) => ({
    ...condition,
    from: map(condition.from),
    until: map(condition.until),
  })),
  truth: world.truth.map(({ services, intervals }) => ({
    services,
    intervals: intervals.map((interval) => ({ ...interval, until: map(interval.until) })),
  })),
  noticed: world.noticed.map((noticed) => ({ ...noticed, at: map(noticed.at) })),
  reports: world.reports.map((report) => ({ ...report, at: map(report.at) })),
})
