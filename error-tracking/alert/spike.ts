import type { SpikeTerms } from '../contracts/error-rule.ts'

const dayMs = 86_400_000
const minuteMs = 60_000
/** By then, arrived events are stored unless a database was unavailable. */
const settleMs = 30_000

/** The end of the newest span that can be checked: a whole minute, Unix ms. */
export const spanEndMs = (nowMs: number): number => Math.floor((nowMs - settleMs) / minuteMs) * minuteMs

/**
 * The span that ends at `untilMs` (exclusive), and the day before it. The arrival time of an event decides
 * whether it is in a span.
 */
export const spikeSpan = (
  { spanMinutes }: Pick<SpikeTerms, 'spanMinutes'>,
  untilMs: number,
): { dayFromMs: number; fromMs: number; untilMs: number } => {
  const fromMs = untilMs - spanMinutes * minuteMs
  return { dayFromMs: fromMs - dayMs, fromMs, untilMs }
}

/**
 * The average number of events in a span, over the day before it or the part of that day since the project
 * was created or the issue was first seen. null if that part is shorter than one span.
 * @param events.before events in the day before the span
 */
export const baselineOf = (
  { before, knownSinceMs }: { before: number; knownSinceMs: number },
  { dayFromMs, fromMs, untilMs }: ReturnType<typeof spikeSpan>,
): number | null => {
  const spanMs = untilMs - fromMs
  const knownMs = fromMs - Math.max(dayFromMs, knownSinceMs)
  return knownMs < spanMs ? null : (before * spanMs) / knownMs
}

/**
 * Whether a span is a spike. Without a baseline only the minimum count applies (S-3018).
 */
export const isSpike = (
  { eventsMin, factor }: Pick<SpikeTerms, 'eventsMin' | 'factor'>,
  span: number,
  baseline: number | null,
): boolean => span >= eventsMin && (baseline === null || span >= factor * baseline)

/** An open spike: the ends of the first and the last span above the baseline, Unix ms. */
export type OpenSpike = { beganAtMs: number; lastMetAtMs: number }

/**
 * The effect on a spike of the span that ends at `untilMs`. A spike ends after one full calm span, so that a
 * count around the threshold does not begin many spikes.
 */
export const nextSpikeStep = (
  open: OpenSpike | null,
  isMet: boolean,
  { spanMinutes }: Pick<SpikeTerms, 'spanMinutes'>,
  untilMs: number,
): 'none' | 'begins' | 'continues' | 'pauses' | 'ends' => {
  if (open === null) return isMet ? 'begins' : 'none'
  if (isMet) return 'continues'
  return untilMs - open.lastMetAtMs >= spanMinutes * minuteMs ? 'ends' : 'pauses'
}
