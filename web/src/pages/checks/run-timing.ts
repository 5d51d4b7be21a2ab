import type { Heartbeat, Run } from '@probe-mesh/contracts/heartbeat/heartbeat'

/** The timing of a run compared with its expected time; null if unknown. */
export type RunTiming = 'early' | 'on time' | 'late' | 'missed' | null

/** A share of the grace: cron jobs start a few seconds after the minute, which is not late. */
const lateShare = 0.1

const startMs = ({ startedAt, finishedAt }: Run): number | null => {
  const at = startedAt ?? finishedAt
  return at === null ? null : Date.parse(at)
}

/** The base for the next run: for a missed run its due time, not its deadline. */
const anchorMs = (run: Run, graceSeconds: number): number | null => {
  const at = startMs(run)
  if (at === null || run.outcome !== 'missed') return at
  return at - graceSeconds * 1000
}

/**
 * Compares each run with the one before it and the period: early by more than the grace, late by more than a
 * tenth of it. For a cron schedule only missed runs are known here.
 * @param runs newest first, as in the API
 */
export const timingsOf = (
  runs: readonly Run[],
  { periodSeconds, graceSeconds }: Pick<Heartbeat, 'periodSeconds' | 'graceSeconds'>,
): RunTiming[] =>
  runs.map((run, index) => {
    if (run.outcome === 'missed') return 'missed'
    const [before, at] = [runs[index + 1], startMs(run)]
    const from = before === undefined ? null : anchorMs(before, graceSeconds)
    if (periodSeconds === null || from === null || at === null) return null
    const offMs = at - (from + periodSeconds * 1000)
    if (offMs < -graceSeconds * 1000) return 'early'
    return offMs > graceSeconds * 1000 * lateShare ? 'late' : 'on time'
  })
