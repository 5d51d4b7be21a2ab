import { vantages, type Vantage, type World } from './world.ts'

/** Transforms an outage: another time, other regions, faster, or with shortened stretches. */

export const shifted = (world: World, byMs: number): World => mapTimes(world, (ms) => ms + byMs)

/** @param to the new vantage point of each vantage point's part, each used once */
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

/** Rotates the parts of the vantage points. */
export const turned = (world: World, by: number): World => {
  const to = vantages.map((region, index) => [region, vantages.at((index + by) % vantages.length)])
  return permuted(world, Object.fromEntries(to) as Record<Vantage, Vantage>)
}

/** Makes time pass `factor` times as fast from the start of the world. */
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

/** Limits the length of stretches without changes. Stretches with flapping keep two of its periods. */
export const withoutLongStretches = (world: World, stretchMsMax: number): World => {
  const changes = changesOf(world)
  const stretches = changes.slice(1).map((until, index) => {
    const from = changes[index] ?? until
    const longestMs = Math.max(stretchMsMax, turnsKept * flapMsOf(world, from))
    return { from, until, lastsMs: Math.min(until - from, longestMs) }
  })
  // instants before and after the world keep their distance to it
  return mapTimes(world, (ms) => {
    let place = Math.min(ms, world.from) + Math.max(0, ms - world.until)
    for (const { from, until, lastsMs } of stretches) {
      if (ms >= until) place += lastsMs
      else if (ms > from) place += ((ms - from) / (until - from)) * lastsMs
    }
    return place
  })
}

const turnsKept = 2
const msPerSecond = 1_000

/** The instants at which a played condition or a truth changes. */
export const changesOf = ({ from, until, conditions, truth }: World): number[] => {
  const played = conditions.flatMap((condition) => [condition.from, condition.until])
  const truths = truth.flatMap(({ intervals }) => intervals.map((interval) => interval.until))
  const within = [...played, ...truths].filter((ms) => from < ms && ms < until)
  return [...new Set([from, ...within, until])].toSorted((a, b) => a - b)
}

const flapMsOf = ({ conditions }: World, nowMs: number): number =>
  Math.max(
    0,
    ...conditions
      .filter((condition) => condition.from <= nowMs && nowMs < condition.until)
      .map(({ flaps }) =>
        flaps === undefined ? 0 : (flaps.failsSeconds + flaps.worksSeconds) * msPerSecond,
      ),
  )

/** Every instant in the world, in order. */
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
