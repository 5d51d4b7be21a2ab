import type { Heartbeat, Run } from '@probe-mesh/contracts/heartbeat/heartbeat'

/** How a run came against when it was expected; null where that cannot be said. */
export type RunTiming = 'early' | 'on time' | 'late' | 'missed' | null

/** Of the grace: a few seconds after the minute are no delay of a job that cron begins. */
const lateShare = 0.1

const startMs = ({ startedAt, finishedAt }: Run): number | null => {
  const at = startedAt ?? finishedAt
  return at === null ? null : Date.parse(at)
}

/** From where the one after it is reckoned: a missed one from when it was due, not from its deadline. */
const anchorMs = (run: Run, graceSeconds: number): number | null => {
  const at = startMs(run)
  if (at === null || run.outcome !== 'missed') return at
  return at - graceSeconds * 1000
}

/**
 * Each run against the one before it and the period: early by more than the grace, late by more than
 * a tenth of it. Of a cron schedule only what was missed is known here. Pure.
 * @param runs newest first, as the API has them
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
