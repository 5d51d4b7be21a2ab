import type { Region } from '@probe-mesh/contracts/reading/regions'
import type { Timings } from '@probe-mesh/contracts/reading/timings'
import { phases } from '../../show/phases.ts'
import type { CheckRow } from '../model/state.ts'
import { padStart, span } from './line.ts'
import type { Line } from './line.ts'

/** The letter fills the phase's part of the bar. */
const letters: Readonly<Record<(typeof phases)[number]['name'], string>> = {
  dns: 'd',
  connect: 'c',
  tls: 's',
  ttfb: 'w',
  transfer: 't',
}

/** From this width on the phases have their numbers as well. */
const numbersFrom = 120
const numberColumns = 10
const barColumns = { least: 10, most: 60, before: 37 }

export const phaseLegend = (width: number): string =>
  width < 80 ? 'd c s w t' : 'd dns  c connect  s tls  w ttfb  t transfer'

export const phaseHeadings = (width: number): string =>
  width < numbersFrom ? '' : `${phases.map(({ name }) => padStart(name, numberColumns)).join('')}  `

/** The longest whole of some regions, which fills the bar. */
export const phasesMsMax = (row: CheckRow, regions: readonly Region[]): number =>
  Math.max(
    1,
    ...regions.map((region) => {
      const seen = row.seen[region]
      return seen === undefined ? 0 : wholeOf(seen.timings)
    }),
  )

const wholeOf = (timings: Timings): number =>
  phases.reduce((sum, { key }) => sum + (timings[key] ?? 0), 0)

/** A bar of the phases one after the other, so long as their share of the longest whole. */
export const phaseSpans = (timings: Timings, longestMs: number, width: number): Line => {
  const hasNumbers = width >= numbersFrom
  const before = barColumns.before + (hasNumbers ? phases.length * numberColumns + 2 : 0)
  const columns = Math.max(barColumns.least, Math.min(barColumns.most, width - before))
  let passedMs = 0
  let drawn = 0
  const bar = phases
    .map(({ name, key }) => {
      passedMs += timings[key] ?? 0
      const until = Math.round((passedMs / longestMs) * columns)
      // a phase that took any time is seen
      const length = timings[key] === null ? 0 : Math.max(until - drawn, passedMs > 0 ? 1 : 0)
      const fitting = Math.min(length, columns - drawn)
      drawn += fitting
      return letters[name].repeat(Math.max(0, fitting))
    })
    .join('')
  const numbers = phases.map(({ key }) => padStart(showPhase(timings[key]), numberColumns))
  return [...(hasNumbers ? [span(`${numbers.join('')}  `)] : []), span(bar)]
}

const showPhase = (ms: number | null): string => (ms === null ? '-' : `${ms.toFixed(1)} ms`)
