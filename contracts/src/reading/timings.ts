import { z } from 'zod'

/** Milliseconds rounded to 0.1; null for what was not reached. */
export const phaseMs = z.number().min(0).max(3_600_000).nullable()

/** Phases of the last attempt's final hop, in milliseconds rounded to 0.1; null when not reached. */
export const Timings = z.object({
  dnsMs: phaseMs,
  connectMs: phaseMs,
  tlsMs: phaseMs,
  ttfbMs: phaseMs,
  transferMs: phaseMs,
})
export type Timings = z.infer<typeof Timings>

export const noTimings: Timings = {
  dnsMs: null,
  connectMs: null,
  tlsMs: null,
  ttfbMs: null,
  transferMs: null,
}
