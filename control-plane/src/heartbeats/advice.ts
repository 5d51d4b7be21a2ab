import type { HeartbeatSettings } from '@probe-mesh/contracts/heartbeat/heartbeat'
import { watchedDeadline, type Outage } from './outage.ts'
import { nextExpected } from './schedule.ts'

/** How a heartbeat is not used as declared. `gapMs` is the usual time between its pings. */
export type Advice = { kind: 'never_pinged' } | { kind: 'more_often' | 'less_often'; gapMs: number }

/** The settings of a heartbeat and its pings. Times are Unix milliseconds. */
export type PingedHeartbeat = {
  settings: HeartbeatSettings
  /** Since when the settings apply. */
  validFromMs: number
  lastPingAtMs: number | null
  /** The starts of its newest runs, oldest first, without missed ones: at least `startsMin` of them if there are. */
  startsMs: readonly number[]
}

/** Gaps between pings that must show the same rhythm, and the days in which they are counted (S-620). */
const gapsMin = 5
export const startsMin = gapsMin + 1
const adviceDays = 14
/** Who sets up a job needs time for its first ping. */
const firstPingMs = 3_600_000

/**
 * What the owner of a heartbeat should know: it was never pinged, or its last five gaps all have another rhythm
 * than declared. Times when no ping could be received prove nothing. Pure (S-620).
 */
export const adviceOf = (
  heartbeat: PingedHeartbeat,
  outages: readonly Outage[],
  nowMs: number,
): Advice | null => {
  if (heartbeat.lastPingAtMs === null)
    return isMissing(heartbeat, outages, nowMs) ? { kind: 'never_pinged' } : null
  const { settings, validFromMs } = heartbeat
  const sinceMs = Math.max(validFromMs, nowMs - adviceDays * 86_400_000)
  const starts = heartbeat.startsMs.filter((atMs) => atMs >= sinceMs).slice(-startsMin)
  if (starts.length < startsMin) return null
  const gaps = starts.slice(1).map((toMs, index) => ({ fromMs: starts[index] ?? toMs, toMs }))
  if (gaps.some((gap) => outages.some((outage) => outage.fromMs < gap.toMs && outage.toMs > gap.fromMs)))
    return null
  const sorted = gaps.map(({ fromMs, toMs }) => toMs - fromMs).toSorted((a, b) => a - b)
  const gapMs = sorted[Math.floor(sorted.length / 2)] ?? 0
  if (gaps.every((gap) => isEarly(settings, gap))) return { kind: 'more_often', gapMs }
  if (gaps.every((gap) => isLate(settings, gap))) return { kind: 'less_often', gapMs }
  return null
}

const isMissing = (
  { settings, validFromMs }: PingedHeartbeat,
  outages: readonly Outage[],
  nowMs: number,
): boolean => {
  let fromMs = validFromMs
  for (;;) {
    const [expectedMs] = nextExpected(settings, fromMs, 1)
    if (expectedMs === undefined) return false
    const deadlineMs = expectedMs + settings.graceSeconds * 1_000 + firstPingMs
    const watched = watchedDeadline(fromMs, deadlineMs, outages)
    if (watched.kind === 'at') return nowMs >= watched.deadlineMs
    if (watched.untilMs <= fromMs) return false
    fromMs = watched.untilMs
  }
}

type Gap = { fromMs: number; toMs: number }

/** Less than half of the declared time passed. */
const isEarly = (settings: HeartbeatSettings, { fromMs, toMs }: Gap): boolean => {
  const [first, second] = nextExpected(settings, fromMs, 2)
  return first !== undefined && second !== undefined && 2 * (toMs - fromMs) < second - first
}

/** The ping that was expected, and its grace, passed. */
const isLate = (settings: HeartbeatSettings, { fromMs, toMs }: Gap): boolean => {
  const [expectedMs] = nextExpected(settings, fromMs, 1)
  return expectedMs !== undefined && toMs > expectedMs + settings.graceSeconds * 1_000
}
