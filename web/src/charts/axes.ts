/** A mark on an axis, and what is written beside it. */
export type Tick = { at: number; label: string }

const minuteMs = 60_000
const hourMs = 60 * minuteMs
const dayMs = 24 * hourMs
const timeStepsMs = [
  ...[5, 15, 30].map((minutes) => minutes * minuteMs),
  ...[1, 2, 4, 12].map((hours) => hours * hourMs),
  ...[1, 2, 5, 15, 30].map((days) => days * dayMs),
]
const timeTicksMax = 8

/** Instants to mark between two, at whole steps of UTC; a day is written where it begins. */
export const timeTicks = (fromMs: number, toMs: number): Tick[] => {
  const span = toMs - fromMs
  const step = timeStepsMs.find((each) => span / each <= timeTicksMax) ?? span / timeTicksMax
  const ticks: Tick[] = []
  for (let at = Math.ceil(fromMs / step) * step; at <= toMs; at += step) {
    const text = new Date(at).toISOString()
    ticks.push({ at, label: at % dayMs === 0 ? text.slice(5, 10) : text.slice(11, 16) })
  }
  return ticks
}

const valueTicksMax = 5

/**
 * Values to mark from 0 to above the largest, at 1, 2 or 5 times a power of ten.
 * @param largest milliseconds, above 0
 */
export const latencyTicks = (largest: number): Tick[] => {
  const rough = Math.max(largest, 1) / valueTicksMax
  const power = 10 ** Math.floor(Math.log10(rough))
  const step = ([1, 2, 5, 10].find((factor) => factor * power >= rough) ?? 10) * power
  const count = Math.ceil(Math.max(largest, 1) / step)
  return Array.from({ length: count + 1 }, (_, index) => {
    const at = Number((index * step).toPrecision(12))
    return { at, label: at >= 1000 ? `${at / 1000} s` : `${at} ms` }
  })
}
