import type { Sample } from './sample.ts'

/** The memory and descriptors of a part over a soak, after the warm-up of each start. */
export type Course = {
  part: string
  /** The number of starts. */
  lives: number
  samples: number
  /** The mean of the counted samples. */
  mib: number
  /** Growth between starts, by least squares. */
  mibAnHour: number
  descriptors: number
  descriptorsAnHour: number
}

/** Growth that counts as flat: a garbage collector varies by a tenth in an hour. */
const growthShareMax = 0.1
/** A reopened connection may overlap with the old one. */
const descriptorsAnHourMax = 10

/** @param warmUpMs samples in this time after a start are not counted, because caches fill up */
export const courseOf = (samples: readonly Sample[], warmUpMs: number): Course[] =>
  [...Map.groupBy(samples, ({ part }) => part)].map(([part, own]) => {
    const lives = [...Map.groupBy(own, ({ pid }) => pid).values()]
    const warm = lives.map((life) => {
      const since = Math.min(...life.map(({ at }) => at)) + warmUpMs
      return life.filter(({ at }) => at >= since)
    })
    const counted = warm.flat()
    return {
      part,
      lives: lives.length,
      samples: counted.length,
      mib: meanOf(counted.map(({ mib }) => mib)),
      mibAnHour: growthAnHour(warm, ({ mib }) => mib),
      descriptors: meanOf(counted.map(({ descriptors }) => descriptors)),
      descriptorsAnHour: growthAnHour(warm, ({ descriptors }) => descriptors),
    }
  })

/** Whether a part did not grow. */
export const isFlat = ({ mib, mibAnHour, descriptorsAnHour }: Course): boolean =>
  mibAnHour <= growthShareMax * mib && descriptorsAnHour <= descriptorsAnHourMax

/** Five minutes of samples; fewer are not enough to extrapolate to an hour. */
const samplesMin = 30

/** The common least-squares slope of all starts, each around its own mean. NaN: too few samples. */
const growthAnHour = (lives: readonly (readonly Sample[])[], valueOf: (sample: Sample) => number): number => {
  if (lives.flat().length < samplesMin) return Number.NaN
  let covariance = 0
  let variance = 0
  for (const life of lives) {
    const at = meanOf(life.map((sample) => sample.at))
    const value = meanOf(life.map(valueOf))
    for (const sample of life) {
      const hours = (sample.at - at) / 3_600_000
      covariance += hours * (valueOf(sample) - value)
      variance += hours ** 2
    }
  }
  return covariance / variance
}

const meanOf = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / values.length

export const courseText = (course: Course): string =>
  `${course.part} ${shownFigure(course.mib)} MiB ${signed(course.mibAnHour)} an hour, ` +
  `${shownFigure(course.descriptors)} descriptors ${signed(course.descriptorsAnHour)} an hour`

const signed = (value: number): string => `${value >= 0 ? '+' : ''}${shownFigure(value, 1)}`

/** A number, or a dash if there were too few samples. */
const shownFigure = (value: number, digits = 0): string =>
  Number.isFinite(value) ? value.toFixed(digits) : '-'
