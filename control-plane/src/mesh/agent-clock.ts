/** So many announcements in a row have to agree: one that is read late makes a clock look behind. */
const samplesMax = 5
/** From so far on a clock is told of, and below the other no more, ms. */
const offFromMs = 10_000
const rightBelowMs = 5_000

/** What announcements tell of an agent's clock. Times are this control plane's, Unix ms. */
export type AgentClock = {
  /** How far it was ahead of ours, or behind where below 0, at the last announcements. */
  samples: readonly number[]
  /** The least of them where all are on one side; else 0. */
  offMs: number
  /** Since when it is too far off; null while it is not, or while that is not known. */
  sinceMs: number | null
}

export const clockUnknown: AgentClock = { samples: [], offMs: 0, sinceMs: null }

/** Takes in an announcement, with the time that the agent wrote on it. Pure. */
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
