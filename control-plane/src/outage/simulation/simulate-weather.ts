import { percentile } from '../statistics.ts'
import { regionWeather, weatherWindowMs } from '../weather.ts'
import type { Percentiles } from '../weather.ts'
import { delaysOf } from './outcome.ts'
import type { Outcome } from './outcome.ts'
import { createDrift, createRandom, seasonAt } from './random.ts'
import type { Random } from './random.ts'

const windowMinutes = weatherWindowMs / 60_000
const windowsPerHour = 60 / windowMinutes
const windowsPerDay = 24 * windowsPerHour
const services = 150
const runInDays = 7

/**
 * Slowdowns that were made to happen: once in three days, an hour long, at 1.6 times the latency.
 */
const slowdownEveryDays = 3
const slowdown = { factor: 1.6, windows: windowsPerHour }

/**
 * One region for `days`: 150 services with latencies of their own, a course of day and week, noise
 * that all of them share and that lasts, days that differ, and heavy tails. Alarms within an hour
 * are one.
 */
export const simulateWeather = (days: number, seed: number): Outcome => {
  const quiet = play(days, createRandom(seed), false)
  const slow = play(days, createRandom(seed + 1), true)
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

const play = (days: number, random: Random, withSlowdowns: boolean) => {
  const bases = Array.from({ length: services }, () => 120 * Math.exp(0.7 * random.normal()))
  const shared = createDrift(random, 0.05, Math.exp(-windowMinutes / 60))
  const ofDays = createDrift(random, 0.04, 0.3)
  /** By day and hour of the day: the mean over the hour's windows, as a rollup would have it. */
  const hours: Percentiles[][] = []
  const delays: number[] = []
  let [alarms, events, lastAlarm, dayNoise] = [0, 0, -Infinity, 0]
  let event: { from: number; found: boolean } | null = null
  for (let window = 0; window < (runInDays + days) * windowsPerDay; window += 1) {
    const day = Math.floor(window / windowsPerDay)
    const isCounted = day >= runInDays
    if (window % windowsPerDay === 0) dayNoise = ofDays()
    if (withSlowdowns && isCounted && window % (slowdownEveryDays * windowsPerDay) === 0) {
      event = {
        from: window + random.uniform() * (windowsPerDay - slowdown.windows - 1),
        found: false,
      }
      events += 1
    }
    const level = seasonAt(window / windowsPerHour, 0.2, 0.92) * Math.exp(shared() + dayNoise)
    // of the window in which it begins or ends, only a part of the answers is slow
    const slowShare =
      event === null ? 0 : overlap(window, event.from, event.from + slowdown.windows)
    const now = measure(bases, level, slowShare, random)
    const hour = Math.floor(window / windowsPerHour) % 24
    const past = Array.from({ length: 7 }, (_, back) => hours[day - 1 - back]?.[hour])
    const { verdict } = regionWeather({
      region: 'fra',
      now,
      days: past.flatMap((one) => one ?? []),
      quarantined: false,
    })
    if (isCounted && verdict === 'slower') {
      if (event !== null && slowShare > 0) {
        if (!event.found) delays.push((window + 1 - event.from) * windowMinutes)
        event.found = true
      } else if (!withSlowdowns) {
        if (window - lastAlarm > windowsPerHour) alarms += 1
        lastAlarm = window
      }
    }
    const today = (hours[day] ??= [])
    today[hour] = blend(today[hour], now, window % windowsPerHour)
  }
  return { alarms, events, delays }
}

const overlap = (window: number, from: number, to: number): number =>
  Math.max(0, Math.min(window + 1, to) - Math.max(window, from))

const measure = (
  bases: readonly number[],
  level: number,
  slowShare: number,
  random: Random,
): Percentiles => {
  const latencies = Float64Array.from(bases, (base) => {
    const slow = random.uniform() < slowShare ? slowdown.factor : 1
    const tail = random.uniform() < 0.02 ? random.heavyTailed(1.2) : 1
    return base * level * slow * tail * Math.exp(0.35 * random.normal())
  }).toSorted()
  return {
    p50Ms: percentile(latencies, 0.5),
    p75Ms: percentile(latencies, 0.75),
    p95Ms: percentile(latencies, 0.95),
    samples: services,
  }
}

const blend = (sofar: Percentiles | undefined, now: Percentiles, windows: number): Percentiles => {
  if (sofar === undefined) return now
  const mean = (a: number, b: number): number => (a * windows + b) / (windows + 1)
  return {
    p50Ms: mean(sofar.p50Ms, now.p50Ms),
    p75Ms: mean(sofar.p75Ms, now.p75Ms),
    p95Ms: mean(sofar.p95Ms, now.p95Ms),
    samples: sofar.samples + now.samples,
  }
}
