import { usualTimesOf } from '../response-ratios.ts'
import { regionWeather, weatherWindowMs, type Percentiles } from '../weather.ts'
import { delaysOf, type Outcome } from './outcome.ts'
import { createDrift, createRandom, seasonAt, type Random } from './random.ts'

const windowMinutes = weatherWindowMs / 60_000
const windowsPerHour = 60 / windowMinutes
const windowsPerDay = 24 * windowsPerHour
const services = 150
const runInDays = 7

/** Simulated slowdowns: every three days for one hour, to 1.6 times the latency. */
const slowdownEveryDays = 3
const slowdown = { factor: 1.6, windows: windowsPerHour }

/**
 * Simulates one region for `days`: 150 services with their own latencies, half of them nearby; daily and
 * weekly cycles, lasting noise common to all services, differences between days, quiet weeks and heavy tails.
 * Nearby services fail together for hours, services change their speed, routes to some become longer for
 * days, and new services join. Alarms within an hour count as one.
 */
export const simulateWeather = (days: number, seed: number): Outcome => {
  const quiet = simulate(days, createRandom(seed), false)
  const slow = simulate(days, createRandom(seed + 1), true)
  return {
    rule: 'weather slower',
    simulatedDays: days,
    falseAlarms: quiet.alarms,
    falseAlarmsPerMonth: (quiet.alarms / days) * 30,
    falseAlarmsPerMonthMax: 1,
    per: 'per region',
    events: slow.events,
    found: slow.delays.length,
    delayMinutes: delaysOf(slow.delays, slow.events),
    delayMinutesMax: 40,
  }
}

const simulate = (days: number, random: Random, withSlowdowns: boolean) => {
  const world = createWorld(random)
  const shared = createDrift(random, 0.05, Math.exp(-windowMinutes / 60))
  const daily = createDrift(random, 0.04, 0.3)
  /** By hour of the day: the times of each service on the last seven days, newest first. */
  const hours = Array.from({ length: 24 }, (): (number | null)[][] => [])
  const delays: number[] = []
  let [alarms, events, lastAlarm, dayNoise] = [0, 0, -Infinity, 0]
  let event: { from: number; found: boolean } | null = null
  let usual = usualTimesOf([])
  for (let window = 0; window < (runInDays + days) * windowsPerDay; window += 1) {
    const day = Math.floor(window / windowsPerDay)
    const isCounted = day >= runInDays
    if (window % windowsPerDay === 0) {
      dayNoise = daily() + (day % 90 > 80 ? quietWeek : 0)
      world.passDay(window)
    }
    if (withSlowdowns && isCounted && window % (slowdownEveryDays * windowsPerDay) === 0) {
      event = {
        from: window + random.uniform() * (windowsPerDay - slowdown.windows - 1),
        found: false,
      }
      events += 1
    }
    const level = seasonAt(window / windowsPerHour, 0.2, 0.92) * Math.exp(shared() + dayNoise)
    // in the first and last window of a slowdown only some answers are slow
    const slowShare = event === null ? 0 : overlap(window, event.from, event.from + slowdown.windows)
    const now = world.measure(window, level, slowShare)
    const hour = Math.floor(window / windowsPerHour) % 24
    const past = hours[hour] ?? []
    if (window % windowsPerHour === 0) {
      usual = usualTimesOf(
        now.map((_, index) => ({
          slug: String(index),
          days: past.map((each) => each[index] ?? null),
        })),
      )
    }
    const measured = now.filter((ms) => ms !== null)
    const verdictNow = regionWeather({
      region: 'fra',
      now: pooled(measured.length),
      days: past.map(() => pooled(services)),
      responseRatio: usual.ratioOf(now),
      dayRatios: usual.days,
      quarantined: false,
    }).verdict
    if (isCounted && verdictNow === 'slower') {
      if (event !== null && slowShare > 0) {
        if (!event.found) delays.push((window + 1 - event.from) * windowMinutes)
        event.found = true
      } else if (!withSlowdowns) {
        if (window - lastAlarm > windowsPerHour) alarms += 1
        lastAlarm = window
      }
    }
    if (window % windowsPerHour === windowsPerHour - 1) {
      hours[hour] = [now, ...past].slice(0, 7)
    }
  }
  return { alarms, events, delays }
}

const overlap = (window: number, from: number, to: number): number =>
  Math.max(0, Math.min(window + 1, to) - Math.max(window, from))

/** Percentiles over all services, which do not influence the verdict. */
const pooled = (samples: number): Percentiles => ({ p50Ms: 1, p75Ms: 1, p95Ms: 1, samples })

const quietWeek = Math.log(0.88)
/** Mean days between two events of each kind. */
const every = { nearbyOutage: 5, longRoute: 30, speedChange: 60, newService: 20 }

/** The services of a region and their events. */
const createWorld = (random: Random) => {
  const isNearby = (index: number): boolean => index % 2 === 0
  const bases = Array.from({ length: services }, (_, index) =>
    isNearby(index) ? 12 * Math.exp(0.3 * random.normal()) : 160 * Math.exp(0.5 * random.normal()),
  )
  let outage = { from: 0, to: 0 }
  let route = { from: 0, to: 0, factor: 1, share: 0 }
  const keys = bases.map(() => random.uniform())
  const joined = bases.map(() => -Infinity)
  const happens = (days: number): boolean => random.uniform() < 1 / days

  const measureOne = (index: number, window: number, level: number, slowShare: number) => {
    const isDown = isNearby(index) && window >= outage.from && window < outage.to
    if (isDown || window < (joined[index] ?? 0)) return null
    const isLong = window >= route.from && window < route.to && (keys[index] ?? 0) < route.share
    const slow = 1 + (slowdown.factor - 1) * (slowShare > random.uniform() ? 1 : 0)
    const tail = random.uniform() < 0.01 ? random.heavyTailed(1.2) : 1
    const noise = Math.exp(0.15 * random.normal())
    return (bases[index] ?? 1) * level * slow * (isLong ? route.factor : 1) * tail * noise
  }

  return {
    passDay: (window: number): void => {
      const span = (hours: number) => {
        const from = window + Math.floor(random.uniform() * windowsPerDay)
        return { from, to: from + Math.ceil(hours * windowsPerHour) }
      }
      if (happens(every.nearbyOutage)) outage = span(1 + 2 * random.uniform())
      if (happens(every.longRoute)) {
        route = {
          ...span(6 + 42 * random.uniform()),
          factor: 1.1 + 0.5 * random.uniform(),
          share: 0.3,
        }
      }
      for (const index of bases.keys()) {
        if (happens(every.speedChange)) bases[index] = (bases[index] ?? 1) * Math.exp(0.3 * random.normal())
      }
      if (happens(every.newService)) {
        joined[Math.floor(random.uniform() * services)] = window + 10 * windowsPerDay
      }
    },
    measure: (window: number, level: number, slowShare: number): (number | null)[] =>
      bases.map((_, index) => measureOne(index, window, level, slowShare)),
  }
}
