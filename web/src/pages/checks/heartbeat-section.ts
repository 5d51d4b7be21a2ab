import type { Heartbeat, HeartbeatSettings, Run } from '@probe-mesh/contracts/heartbeat/heartbeat'
import type { Asked } from '../../api/ask.ts'
import { html } from '@probe-mesh/runtime/html'
import type { Html, Piece } from '@probe-mesh/runtime/html'
import { duration, time } from '../../html/measures.ts'
import { tag } from '../../html/components/tag.ts'
import type { Wording } from '../../html/components/tag.ts'
import { runsSection } from './runs-section.ts'

/** What the schedule of a heartbeat says; null where it cannot be read. */
type CronSchedule = Pick<HeartbeatSettings, 'cron' | 'timeZone'> | null

/**
 * When a cron line runs a job once a period, five fields; null where no such line exists, since cron
 * begins anew with every hour and every day.
 */
export const cronFields = (periodSeconds: number | null): string | null => {
  if (periodSeconds === null || periodSeconds % 60 !== 0) return null
  const minutes = periodSeconds / 60
  if (minutes === 1) return '* * * * *'
  if (minutes < 60) return 60 % minutes === 0 ? `*/${minutes} * * * *` : null
  const hours = minutes / 60
  if (!Number.isInteger(hours)) return null
  if (hours === 1) return '0 * * * *'
  if (hours < 24) return 24 % hours === 0 ? `0 */${hours} * * *` : null
  return hours === 24 ? '0 0 * * *' : hours === 168 ? '0 0 * * 0' : null
}

const curl = 'curl -fsS -m 10 --retry 5 -o /dev/null'

/** Where to ping, in a crontab and in a script; nothing for who may not know it. */
const pingHelp = ({ pingUrl, periodSeconds }: Heartbeat, schedule: CronSchedule): Piece => {
  if (pingUrl === null) return null
  const fields = schedule?.cron ?? cronFields(periodSeconds)
  return html`
    <h2>Where to ping</h2>
    <p>Whoever has this address can ping: keep it as you keep a password.</p>
    <pre><code>${pingUrl}</code></pre>
    <h3>In a crontab</h3>
    <p>
      After the job, with its exit code: 0 is a good run, any other a failure.
      ${fields === null && "Put the job's own times in the place of the five stars."}
      ${schedule?.cron !== null && schedule !== null && `The times are those of ${schedule.timeZone ?? 'UTC'}: set the zone of the machine or of its cron to it.`}
    </p>
    <pre><code>${fields ?? '* * * * *'} /path/to/job; ${curl} ${pingUrl}/$?</code></pre>
    <h3>In a script</h3>
    <p>Told when it begins, its run time is watched; what is sent with a failure stands beside its run.</p>
    <pre><code>${curl} ${pingUrl}/start
if message=$(/path/to/job 2&gt;&amp;1)
then ${curl} ${pingUrl}
else ${curl} --data-raw "$message" ${pingUrl}/fail
fi</code></pre>
  `
}

const stateWords: Readonly<Record<Heartbeat['state'], Wording>> = {
  new: { tone: 'silent', text: 'never pinged' },
  up: { tone: 'good', text: 'up' },
  late: { tone: 'uncertain', text: 'late' },
  running: { tone: 'good', text: 'running' },
  down: { tone: 'bad', text: 'down' },
  held_down: { tone: 'bad', text: 'held down' },
  paused: { tone: 'silent', text: 'paused' },
}

export type HeartbeatEvidence = {
  runs: Asked<{ runs: readonly Run[] }>
  schedule: CronSchedule
  nowMs: number
}

/** What a heartbeat knows of its job, where to ping it, and the runs it was told of. */
export const heartbeatSection = (
  checkId: string,
  heartbeat: Heartbeat,
  { runs, schedule, nowMs }: HeartbeatEvidence,
): Html => html`
  <h2>Job</h2>
  <dl>
    <dt>State</dt>
    <dd>${tag(stateWords[heartbeat.state])}</dd>
    <dt>Last ping</dt>
    <dd>${heartbeat.lastPingAt === null ? 'never' : time(heartbeat.lastPingAt)}</dd>
    <dt>A ping is expected</dt>
    <dd>
      ${heartbeat.periodSeconds === null ? cronText(schedule) : `every ${duration(heartbeat.periodSeconds)}`},
      and may be ${duration(heartbeat.graceSeconds)} late
    </dd>
    <dt>The next one is expected</dt>
    <dd>
      ${heartbeat.nextExpectedAt === null ? 'none: before the first ping and while paused nothing is' : time(heartbeat.nextExpectedAt)}
    </dd>
    <dt>A run may take</dt>
    <dd>${heartbeat.maxRuntimeSeconds === null ? 'any time' : duration(heartbeat.maxRuntimeSeconds)}</dd>
    <dt>Failures in a row</dt>
    <dd>${heartbeat.consecutiveFailures}</dd>
  </dl>
  ${
    heartbeat.heldDown &&
    html`<form method="post" action="/dashboard/checks/${checkId}/release">
      <p class="problems" id="held-down">
        It failed so often in a row that one good run does not make it good again: it is held down until two
        good runs follow one another.
      </p>
      <p class="actions">
        <button type="submit" aria-describedby="held-down release-hint">Arm it again</button>
        <span class="hint" id="release-hint"
          >For when the cause is mended: it stays down, nobody is told of anything, and the next good run
          makes it good. Its failures are counted from none.</span
        >
      </p>
    </form>`
  }
  ${pingHelp(heartbeat, schedule)}
  <h2>Runs</h2>
  ${runs.ok ? runsSection(runs.value.runs, heartbeat, nowMs) : html`<p class="problems">The runs could not be read: ${runs.problem.message}</p>`}
`

/** `by the cron schedule 0 3 * * * in Europe/Berlin` */
const cronText = (schedule: CronSchedule): Piece =>
  schedule === null || schedule.cron === null
    ? 'by a cron schedule'
    : html`by the cron schedule <code>${schedule.cron}</code> in ${schedule.timeZone ?? 'UTC'}`
