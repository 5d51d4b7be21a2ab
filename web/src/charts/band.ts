import { tenth, xOf } from './frame.ts'
import type { Window } from './frame.ts'

/** A time that is marked in a chart, Unix ms; it goes on where `toMs` is null. */
export type Band = { kind: (typeof bandKinds)[number]; fromMs: number; toMs: number | null }

export const bandKinds = ['incident', 'outage', 'maintenance'] as const

/** Where a band lies in a chart; null where no part of it is in the chart's time. */
export const spanOf = ({ fromMs, toMs }: Band, window: Window): { x: number; width: number } | null => {
  const until = toMs ?? window.toMs
  if (until <= window.fromMs || fromMs >= window.toMs) return null
  const x = xOf(window, fromMs)
  // what was short is seen too
  return { x, width: Math.max(2, tenth(xOf(window, until) - x)) }
}
