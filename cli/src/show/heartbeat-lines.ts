import type { Heartbeat } from '@probe-mesh/contracts/heartbeat/heartbeat'
import type { Run } from '@probe-mesh/contracts/heartbeat/run'
import type { Look } from './look.ts'
import { count, duration, milliseconds, timeAndAge } from './measures.ts'
import { wrapWords } from './wrap-words.ts'

/** What a heartbeat check has besides: when pings are due, and the latest run. */
export const heartbeatLines = (look: Look, heartbeat: Heartbeat, nowMs: number): string[] => {
  const { periodSeconds, graceSeconds, maxRuntimeSeconds, consecutiveFailures } = heartbeat
  const due = [
    periodSeconds === null ? 'pings by a cron schedule' : `a ping every ${duration(periodSeconds)}`,
    `${duration(graceSeconds)} of grace`,
    ...(maxRuntimeSeconds === null ? [] : [`runs of ${duration(maxRuntimeSeconds)} at most`]),
  ]
  const failed =
    consecutiveFailures === 0 ? '' : `, after ${count(consecutiveFailures, 'failure')} in a row`
  return [
    ...wrapWords(look, `${heartbeat.state.replaceAll('_', ' ')}${failed}`, 'State:      '),
    ...wrapWords(look, due.join(', '), 'Expected:   '),
    ...wrapWords(look, latest(heartbeat.latestRun, nowMs), 'Latest run: '),
  ]
}

const latest = (run: Run | null, nowMs: number): string => {
  if (run === null) return 'none yet'
  const { outcome, startedAt, finishedAt, durationMs, stuck, exitCode, message } = run
  return [
    `${outcome}${stuck && outcome !== 'stuck' ? ' (was stuck)' : ''}`,
    ...(startedAt === null ? [] : [`started ${timeAndAge(startedAt, nowMs)}`]),
    ...(finishedAt === null ? [] : [`ended ${timeAndAge(finishedAt, nowMs)}`]),
    ...(durationMs === null ? [] : [`took ${tookText(durationMs)}`]),
    ...(exitCode === null ? [] : [`exit code ${exitCode}`]),
    ...(message === null ? [] : [message]),
  ].join(', ')
}

const tookText = (ms: number): string => (ms < 10_000 ? milliseconds(ms) : duration(ms / 1000))
