import { markup } from './markup.ts'
import type { Markup, Piece } from './markup.ts'

/** What a cell without a value says. */
export const none = '-'

/** `2026-11-20 12:00:05 UTC`, with the instant as it was given for programs. */
export const time = (instant: string | null): Piece =>
  instant === null
    ? none
    : markup`<time datetime="${instant}">${instant.slice(0, 10)} ${instant.slice(11, 19)} UTC</time>`

/** `182 ms` */
export const milliseconds = (value: number | null): string =>
  value === null ? none : `${value < 10 ? Number(value.toPrecision(2)) : Math.round(value)} ms`

const units = [
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
  ['second', 1],
] as const

/** `2 hours 5 minutes`: the two largest units, whole. */
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

/** Names stand apart from the text around them whatever direction they are written in. */
export const named = (name: string): Markup => markup`<bdi>${name}</bdi>`
