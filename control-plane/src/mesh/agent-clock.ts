/** This many consecutive announcements must agree: one that is read late makes a clock look slow. */
const samplesMax = 5
/** A clock is reported from the first difference on, until it falls below the second, ms. */
const offFromMs = 10_000
const rightBelowMs = 5_000

/** An agent's clock, from its announcements. Times are of this control plane's clock, Unix ms. */
export type AgentClock = {
  /** How far it was ahead of our clock at the last announcements; behind if below 0. */
  samples: readonly number[]
  /** The smallest of them if all have the same sign; otherwise 0. */
  offMs: number
  /** Since when it is too far off; null if it is not, or if that is unknown. */
  sinceMs: number | null
}

export const clockUnknown: AgentClock = { samples: [], offMs: 0, sinceMs: null }

/** Adds an announcement with the time that the agent wrote into it. Pure. */
export const followClock = (before: AgentClock, theirMs: number, nowMs: number): AgentClock => {
  const samples = [...before.samples, theirMs - nowMs].slice(-samplesMax)
  const offMs = agreedOf(samples)
  const isOff =
    before.sinceMs === null
      ? samples.length === samplesMax && Math.abs(offMs) >= offFromMs
      : Math.abs(offMs) >= rightBelowMs
  return { samples, offMs, sinceMs: isOff ? (before.sinceMs ?? nowMs) : null }
}

const agreedOf = (samples: readonly number[]): number => {
  const least = Math.min(...samples)
  const most = Math.max(...samples)
  return least > 0 ? least : Math.min(0, most)
}
