import { minuteMs } from './runs-query.ts'

/** Runs wait this long for an endpoint that fails; older ones are dropped and counted. */
export const keptMs = 30 * minuteMs
/** After a longer stop, drops are counted as far back as this. */
const lookBackMsMax = 6 * 3_600_000
/** A minute is pushed when it is over, and readings that were on their way are stored. */
const settleMs = 10_000

/** The next push: soon after the end of a minute. @param random in [0, 1), so that accounts do not push together. */
export const nextPushMs = (nowMs: number, random: number): number =>
  (Math.floor(nowMs / minuteMs) + 1) * minuteMs + settleMs * (1 + random)

/** What was pushed of each minute since `settledToMs`, by its begin. */
export type Pushed = { settledToMs: number; pushed: Readonly<Record<string, number>> }

/** The span of arrival times to count. */
export const countedSpan = ({ settledToMs }: Pushed, nowMs: number): { fromMs: number; toMs: number } => ({
  fromMs: Math.floor(Math.max(settledToMs, nowMs - lookBackMsMax) / minuteMs) * minuteMs,
  toMs: Math.floor((nowMs - settleMs) / minuteMs) * minuteMs,
})

export type PushPlan = {
  /** Minutes with runs that were not pushed, oldest first, also a run that arrived in a minute after its push. */
  minutes: { atMs: number; runs: number }[]
  /** Without minutes that are too old. */
  kept: Pushed
  /** Runs in minutes that are too old. */
  dropped: number
}

/** Compares what is stored with what was pushed (S-3733). */
export const planPush = (before: Pushed, counts: ReadonlyMap<number, number>, nowMs: number): PushPlan => {
  const keptFromMs = Math.floor((nowMs - keptMs) / minuteMs) * minuteMs
  const missing = [...counts]
    .map(([atMs, runs]) => ({ atMs, runs: runs - (before.pushed[atMs] ?? 0) }))
    .filter(({ atMs, runs }) => runs > 0 && atMs >= before.settledToMs)
    .toSorted((one, other) => one.atMs - other.atMs)
  return {
    minutes: missing.filter(({ atMs }) => atMs >= keptFromMs),
    kept: {
      settledToMs: Math.max(before.settledToMs, keptFromMs),
      pushed: Object.fromEntries(
        Object.entries(before.pushed).filter(([atMs]) => Number(atMs) >= keptFromMs),
      ),
    },
    dropped: missing.filter(({ atMs }) => atMs < keptFromMs).reduce((sum, { runs }) => sum + runs, 0),
  }
}
