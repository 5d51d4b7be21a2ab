import type { Region } from '@probe-mesh/contracts/regions'
import type { Timings } from '@probe-mesh/contracts/timings'
import type { CheckRow } from '../model/state.ts'
import { padStart, span } from './line.ts'
import type { Line } from './line.ts'

/** In the order in which they pass; the letter fills the phase's part of the bar. */
const phases = [
  ['dnsMs', 'd', 'dns'],
  ['connectMs', 'c', 'connect'],
  ['tlsMs', 's', 'tls'],
  ['ttfbMs', 'w', 'ttfb'],
  ['transferMs', 't', 'transfer'],
] as const

/** From this width on the phases have their numbers as well. */
const numbersFrom = 120
const numberColumns = 10
const barColumns = { least: 10, most: 60, before: 37 }

export const phaseLegend = (width: number): string =>
  width < 80 ? 'd c s w t' : 'd dns  c connect  s tls  w ttfb  t transfer'

export const phaseHeadings = (width: number): string =>
  width < numbersFrom
    ? ''
    : `${phases.map(([, , word]) => padStart(word, numberColumns)).join('')}  `

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
  phases.reduce((sum, [phase]) => sum + (timings[phase] ?? 0), 0)

/** A bar of the phases one after the other, so long as their share of the longest whole. */
export const phaseSpans = (timings: Timings, longestMs: number, width: number): Line => {
  const hasNumbers = width >= numbersFrom
  const before = barColumns.before + (hasNumbers ? phases.length * numberColumns + 2 : 0)
  const columns = Math.max(barColumns.least, Math.min(barColumns.most, width - before))
  let passedMs = 0
  let drawn = 0
  const bar = phases
    .map(([phase, letter]) => {
      passedMs += timings[phase] ?? 0
      const until = Math.round((passedMs / longestMs) * columns)
      // a phase that took any time is seen
      const length = timings[phase] === null ? 0 : Math.max(until - drawn, passedMs > 0 ? 1 : 0)
      const fitting = Math.min(length, columns - drawn)
      drawn += fitting
      return letter.repeat(Math.max(0, fitting))
    })
    .join('')
  const numbers = phases.map(([phase]) => padStart(showPhase(timings[phase]), numberColumns))
  return [...(hasNumbers ? [span(`${numbers.join('')}  `)] : []), span(bar)]
}

const showPhase = (ms: number | null): string => (ms === null ? '-' : `${ms.toFixed(1)} ms`)
