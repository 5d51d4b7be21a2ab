import type { HeartbeatSettings } from '@probe-mesh/contracts/heartbeat'

/**
 * Why a heartbeat is down, one line each. What a job sends stays with its run: a reason may be
 * shown to anybody.
 */
export const failReason = 'the job reported a failure'

export const exitReason = (exitCode: number): string => `the job ended with exit code ${exitCode}`

export const stuckReason = ({ maxRuntimeSeconds }: HeartbeatSettings): string =>
  `the job did not end within its max runtime of ${durationText((maxRuntimeSeconds ?? 0) * 1000)}`

/** Not a failure of the job. */
export const unwatchedReason =
  'no end was received, and for a part of the time no ping could be received'

export const supersededReason = 'no end was reported before later runs began'

/** Explains a ping that came too early, for the schedule to count it for the time that was due. */
export const missedReason = (
  expectedMs: number,
  lastPingAtMs: number | null,
  { cron, graceSeconds }: HeartbeatSettings,
): string => {
  const due = `no ping came by ${instantText(expectedMs)} and ${durationText(graceSeconds * 1000)} of grace`
  const earlyMs = lastPingAtMs === null ? 0 : expectedMs - lastPingAtMs
  return cron !== null && earlyMs > 0 && earlyMs <= graceSeconds * 1000
    ? `${due}; the last one came ${durationText(earlyMs)} before that time`
    : due
}

const instantText = (ms: number): string => new Date(ms).toISOString().replace('.000Z', 'Z')

const units = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['min', 60_000],
] as const

/** `2 h 5 min`: the two largest units; below a minute in seconds. */
const durationText = (ms: number): string => {
  const parts: string[] = []
  let rest = ms
  for (const [name, size] of units) {
    const count = Math.floor(rest / size)
    rest -= count * size
    if (count > 0) parts.push(`${count} ${name}`)
  }
  if (rest > 0 || parts.length === 0) parts.push(`${Math.max(1, Math.round(rest / 1000))} s`)
  return parts.slice(0, 2).join(' ')
}
