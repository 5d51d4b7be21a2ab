import type { Sample } from './sample.ts'

/** How the memory and the descriptors of a part went over a soak, once its lives had warmed up. */
export type Course = {
  part: string
  /** How often it was started. */
  lives: number
  samples: number
  /** The mean of what counts. */
  mib: number
  /** Growth within a life, by least squares. */
  mibAnHour: number
  descriptors: number
  descriptorsAnHour: number
}

/** Growth that is taken for none: a tenth of itself in an hour is what a collector's moods come to. */
const growthShareMax = 0.1
/** A connection that is opened anew may find the old one not gone yet. */
const descriptorsAnHourMax = 10

/** @param warmUpMs what a life's first samples say is how it fills its caches, and not counted */
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

/** Whether a part was flat. */
export const isFlat = ({ mib, mibAnHour, descriptorsAnHour }: Course): boolean =>
  mibAnHour <= growthShareMax * mib && descriptorsAnHour <= descriptorsAnHourMax

/** Fewer samples than five minutes of them say nothing of an hour. */
const samplesMin = 30

/** The least-squares slope that all lives have in common, each around its own mean. NaN of too few. */
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

/** One part's course in words. */
export const courseText = (course: Course): string =>
  `${course.part} ${shownFigure(course.mib)} MiB ${signed(course.mibAnHour)} an hour, ` +
  `${shownFigure(course.descriptors)} descriptors ${signed(course.descriptorsAnHour)} an hour`

const signed = (value: number): string => `${value >= 0 ? '+' : ''}${shownFigure(value, 1)}`

/** A figure, or a dash where there were too few samples for it. */
export const shownFigure = (value: number, digits = 0): string =>
  Number.isFinite(value) ? value.toFixed(digits) : '-'
