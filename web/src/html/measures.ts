import { roundedMs } from '@probe-mesh/runtime/rounded-ms'
import { html, type Html, type Piece } from '@probe-mesh/runtime/html'

/** The text of a cell without a value. */
export const none = '-'

const utcText = (instant: string): string => `${instant.slice(0, 10)} ${instant.slice(11, 19)} UTC`

/** `2026-11-20 12:00:05 UTC`; islands/times.js shows recent times as an age, such as "6s ago". */
export const time = (instant: string | null): Piece =>
  instant === null ? none : html`<time datetime="${instant}">${utcText(instant)}</time>`

/** The same for a bound of a period: islands/times.js shows its date and time. */
export const exactTime = (instant: string | null): Piece =>
  instant === null ? none : html`<time datetime="${instant}" data-exact="">${utcText(instant)}</time>`

/** `182 ms` */
export const milliseconds = (value: number | null): string =>
  value === null ? none : `${roundedMs(value)} ms`

/** `99.982 %`, truncated and never rounded up: a moment of downtime is not 100 %. */
export const percent = (ratio: number | null): string => {
  if (ratio === null) return none
  if (ratio === 1) return '100 %'
  const digits = ratio < 0.9 ? 1 : 3
  // 0.29 * 100 is a little less than 29
  const cut = Math.floor(ratio * 100 * 10 ** digits + 1e-6) / 10 ** digits
  return `${cut.toFixed(digits)} %`
}

const units = [
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
  ['second', 1],
] as const

/** `2 hours 5 minutes`: the two largest units, whole. @param seconds of either sign */
export const duration = (seconds: number): string => {
  let rest = Math.round(Math.abs(seconds))
  const parts: string[] = []
  for (const [unit, length] of units) {
    const count = Math.floor(rest / length)
    rest -= count * length
    if (count > 0) parts.push(`${count} ${unit}${count === 1 ? '' : 's'}`)
    else if (parts.length > 0) break
  }
  return parts.slice(0, 2).join(' ') || '0 seconds'
}

const shortUnits = [
  ['d', 86_400],
  ['h', 3_600],
  ['m', 60],
  ['s', 1],
] as const

/** `2m 10s`: the two largest units, whole. */
export const shortDuration = (seconds: number): string => {
  let rest = Math.max(0, Math.round(seconds))
  const parts: string[] = []
  for (const [unit, length] of shortUnits) {
    const count = Math.floor(rest / length)
    rest -= count * length
    if (count > 0) parts.push(`${count}${unit}`)
    else if (parts.length > 0) break
  }
  return parts.slice(0, 2).join(' ') || '0s'
}

/** How long something has lasted, such as `2m 10s`; islands/times.js counts on. */
export const elapsed = (since: string, nowMs: number): Html =>
  html`<time datetime="${since}" data-elapsed="">${shortDuration((nowMs - Date.parse(since)) / 1000)}</time>`

/** Isolates a name from the surrounding text, whatever its writing direction. */
export const named = (name: string): Html => html`<bdi>${name}</bdi>`
