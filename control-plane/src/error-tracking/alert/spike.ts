import type { SpikeTerms } from '@probe-mesh/contracts/error-tracking/error-rule'

const dayMs = 86_400_000
const minuteMs = 60_000
/** Events that arrived have been stored by then, unless a store was away. */
const settleMs = 30_000

/** Where the newest span ends that may be looked at: a whole minute, Unix ms. */
export const spanEndMs = (nowMs: number): number => Math.floor((nowMs - settleMs) / minuteMs) * minuteMs

/**
 * What is read of a span that ends at `untilMs`, which is not in it: the span itself, and the day before
 * it. An event is in a span by when it arrived here.
 */
export const spikeSpan = (
  { spanMinutes }: Pick<SpikeTerms, 'spanMinutes'>,
  untilMs: number,
): { dayFromMs: number; fromMs: number; untilMs: number } => {
  const fromMs = untilMs - spanMinutes * minuteMs
  return { dayFromMs: fromMs - dayMs, fromMs, untilMs }
}

/** Events of a project, or of an issue. */
type SpikeCounts = {
  span: number
  /** In the day before the span. */
  before: number
  /** When it was made, or first seen: silence before says nothing. Unix ms. */
  knownSinceMs: number
}

/**
 * Events of a span as it usually is: the average over the day before, or over the part of it since the
 * project or the issue is known; null where that part is shorter than one span. Pure.
 */
export const usualOf = (
  { before, knownSinceMs }: Omit<SpikeCounts, 'span'>,
  { dayFromMs, fromMs, untilMs }: ReturnType<typeof spikeSpan>,
): number | null => {
  const spanMs = untilMs - fromMs
  const knownMs = fromMs - Math.max(dayFromMs, knownSinceMs)
  return knownMs < spanMs ? null : (before * spanMs) / knownMs
}

/**
 * Whether a span had more events than usual; without a usual there is the least number alone (S-3018). Pure.
 */
export const isSpike = (
  { eventsMin, factor }: Pick<SpikeTerms, 'eventsMin' | 'factor'>,
  span: number,
  usual: number | null,
): boolean => span >= eventsMin && (usual === null || span >= factor * usual)

/** A spike that has begun: the ends of the first and the last span that had more, Unix ms. */
export type OpenSpike = { beganAtMs: number; lastMetAtMs: number }

/**
 * What a span that ends at `untilMs` makes of a spike: it is over when for the length of one whole span
 * none had more, so that a count around the border begins one and not many. Pure.
 */
export const followSpike = (
  open: OpenSpike | null,
  isMet: boolean,
  { spanMinutes }: Pick<SpikeTerms, 'spanMinutes'>,
  untilMs: number,
): 'none' | 'begins' | 'goes on' | 'rests' | 'ends' => {
  if (open === null) return isMet ? 'begins' : 'none'
  if (isMet) return 'goes on'
  return untilMs - open.lastMetAtMs >= spanMinutes * minuteMs ? 'ends' : 'rests'
}
