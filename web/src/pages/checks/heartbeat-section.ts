import type { Heartbeat, HeartbeatSettings, Run } from '@probe-mesh/contracts/heartbeat/heartbeat'
import type { Asked } from '../../api/ask.ts'
import { html, type Html, type Piece } from '@probe-mesh/runtime/html'
import { duration, time } from '../../html/measures.ts'
import { card, facts } from '../../html/components/card.ts'
import { tag, type Wording } from '../../html/components/tag.ts'
import { runsSection } from './runs-section.ts'

/** The schedule of a heartbeat; null if it could not be read. */
type CronSchedule = Pick<HeartbeatSettings, 'cron' | 'onCalendar' | 'timeZone'> | null

/**
 * The five fields of a cron line that runs a job once per period. Null if there is no such line, since cron
 * restarts each hour and each day.
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

/** The ping address, with a crontab line and a script; null for a member without access to it. */
const pingCard = ({ pingUrl, slugUrl, periodSeconds }: Heartbeat, schedule: CronSchedule): Piece => {
  if (pingUrl === null) return null
  const fields = schedule?.cron ?? cronFields(periodSeconds)
  return card(
    { id: 'ping', title: 'Ping address' },
    html`<p class="muted">Anyone with this address can ping. Keep it secret.</p>
      <pre><code>${pingUrl}</code></pre>
      ${
        slugUrl !== null &&
        html`<p class="muted">By its slug, with the ping key of the account:</p>
          <pre><code>${slugUrl}</code></pre>`
      }
      <h3>In a crontab</h3>
      <p class="muted">
        Sends the exit code after the job: 0 is a success, anything else a failure.
        ${fields === null && 'Replace the five stars with the times of your job.'}
        ${schedule?.cron !== null && schedule !== null && `The times are in ${schedule.timeZone ?? 'UTC'}: set cron to the same zone.`}
      </p>
      <pre><code>${fields ?? '* * * * *'} /path/to/job; ${curl} ${pingUrl}/$?</code></pre>
      <h3>In a script</h3>
      <p class="muted">A start ping measures the run time. The text of a failure is shown with its run.</p>
      <pre><code>${curl} ${pingUrl}/start
if message=$(/path/to/job 2&gt;&amp;1)
then ${curl} ${pingUrl}
else ${curl} --data-raw "$message" ${pingUrl}/fail
fi</code></pre>`,
  )
}

const stateWords: Readonly<Record<Heartbeat['state'], Wording>> = {
  new: { tone: 'silent', text: 'Never pinged' },
  up: { tone: 'good', text: 'Up' },
  late: { tone: 'uncertain', text: 'Late' },
  running: { tone: 'good', text: 'Running' },
  down: { tone: 'bad', text: 'Down' },
  held_down: { tone: 'bad', text: 'Held down' },
  paused: { tone: 'silent', text: 'Paused' },
}

const nextPing = ({ nextExpectedAt, lastPingAt }: Heartbeat): Piece =>
  nextExpectedAt === null ? (lastPingAt === null ? 'not expected yet' : 'not expected') : time(nextExpectedAt)

export type HeartbeatEvidence = {
  runs: Asked<{ runs: readonly Run[] }>
  schedule: CronSchedule
  nowMs: number
}

/** The state of a job, its runs, and its ping instructions. */
export const heartbeatSection = (
  checkId: string,
  heartbeat: Heartbeat,
  { runs, schedule, nowMs }: HeartbeatEvidence,
): Html => html`
  ${
    heartbeat.heldDown &&
    html`<form class="problems" method="post" action="/dashboard/checks/${checkId}/release">
      <p id="held-down">
        Held down after repeated failures: two successful runs in a row make it operational again.
      </p>
      <p class="actions">
        <button type="submit" aria-describedby="held-down">Reset</button>
        <span>When the cause is fixed: the next successful run makes it operational.</span>
      </p>
    </form>`
  }
  ${card(
    { id: 'job', title: 'Job' },
    facts([
      ['State', tag(stateWords[heartbeat.state])],
      ['Last ping', heartbeat.lastPingAt === null ? 'never' : time(heartbeat.lastPingAt)],
      [
        'Expected',
        heartbeat.periodSeconds === null ? cronText(schedule) : `every ${duration(heartbeat.periodSeconds)}`,
      ],
      ['Grace', duration(heartbeat.graceSeconds)],
      ['Next ping', nextPing(heartbeat)],
      [
        'Longest run',
        heartbeat.maxRuntimeSeconds === null ? 'no limit' : duration(heartbeat.maxRuntimeSeconds),
      ],
      ['Failures in a row', heartbeat.consecutiveFailures],
    ]),
  )}
  ${card(
    { id: 'runs', title: 'Runs' },
    runs.ok
      ? runsSection(runs.value.runs, heartbeat, nowMs)
      : html`<p class="problems">The runs could not be read: ${runs.problem.message}</p>`,
  )}
  ${pingCard(heartbeat, schedule)}
`

/** `0 3 * * * in Europe/Berlin`; an OnCalendar expression may name its zone itself. */
const cronText = (schedule: CronSchedule): Piece => {
  const expression = schedule?.cron ?? schedule?.onCalendar ?? null
  if (schedule === null || expression === null) return 'by a schedule'
  return html`<code>${expression}</code>
    ${schedule.timeZone !== null || schedule.cron !== null ? `in ${schedule.timeZone ?? 'UTC'}` : 'in UTC unless it names a zone'}`
}
