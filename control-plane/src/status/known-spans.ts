import type { CheckStatus } from '@probe-mesh/contracts/check/check'
import { cut, joined } from './spans.ts'
import type { Span } from './spans.ts'

/** A recorded status change, as uptime reads it. */
export type FlipRow = {
  from: CheckStatus
  to: CheckStatus
  atMs: number
  /** It is degraded and no region sees it up; absent is no. */
  noneUp?: boolean
}

/** What is on record of a check's status, and for how long it may be believed. */
export type StatusEvidence = {
  /** Every flip of the time asked for and the last one before it, oldest first. */
  flips: readonly FlipRow[]
  /** The last instant at which what was measured counts: after it nothing is known. */
  knownUntilMs: number
  /** When nobody watched it, whatever was on record; may overlap. */
  unwatched: readonly Span[]
}

/** Time of which something is known. */
export type KnownSpan = Span & { isDown: boolean }

/**
 * The time of which it is known whether the target was up; no data is never healthy (S-1102). `unknown` and
 * `stale` say nothing of it, nor do refusals, and a status that nobody looked after says no more. Pure.
 */
export const knownSpans = ({ flips, knownUntilMs, unwatched }: StatusEvidence): KnownSpan[] => {
  const recorded = flips.flatMap(({ to, atMs, noneUp = false }, index) => {
    const toMs = Math.min(flips[index + 1]?.atMs ?? knownUntilMs, knownUntilMs)
    if (to === 'unknown' || to === 'stale' || noneUp || toMs <= atMs) return []
    return [{ fromMs: atMs, toMs, isDown: to === 'down' }]
  })
  return cut(recorded, joined(unwatched))
}
