import type { Heartbeat } from '@probe-mesh/contracts/heartbeat'
import type { Run, RunOutcome } from '@probe-mesh/contracts/run'
import type { Asked } from '../../api/ask.ts'
import { html } from '../../html/html.ts'
import type { Html, Piece } from '../../html/html.ts'
import { duration, none, time } from '../../html/measures.ts'
import { table } from '../../html/table.ts'
import { tag } from '../../html/tag.ts'
import type { Wording } from '../../html/tag.ts'

const stateWords: Readonly<Record<Heartbeat['state'], Wording>> = {
  new: { tone: 'silent', text: 'never pinged' },
  up: { tone: 'good', text: 'up' },
  late: { tone: 'uncertain', text: 'late' },
  running: { tone: 'good', text: 'running' },
  down: { tone: 'bad', text: 'down' },
  held_down: { tone: 'bad', text: 'held down' },
  paused: { tone: 'silent', text: 'paused' },
}

const outcomeWords: Readonly<Record<RunOutcome, Wording>> = {
  running: { tone: 'silent', text: 'running' },
  success: { tone: 'good', text: 'success' },
  failure: { tone: 'bad', text: 'failure' },
  stuck: { tone: 'bad', text: 'stuck' },
  missed: { tone: 'bad', text: 'missed' },
}

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

/** What a heartbeat knows of its job, where to ping it, and the runs it was told of. */
export const heartbeatSection = (
  heartbeat: Heartbeat,
  runs: Asked<{ runs: readonly Run[] }>,
): Html => html`
  <h2>Job</h2>
  <dl>
    <dt>State</dt>
    <dd>${tag(stateWords[heartbeat.state])}</dd>
    <dt>Last ping</dt>
    <dd>${heartbeat.lastPingAt === null ? 'never' : time(heartbeat.lastPingAt)}</dd>
    <dt>A ping is expected</dt>
    <dd>
      ${heartbeat.periodSeconds === null ? 'by a cron schedule' : `every ${duration(heartbeat.periodSeconds)}`},
      and may be ${duration(heartbeat.graceSeconds)} late
    </dd>
    <dt>A run may take</dt>
    <dd>
      ${heartbeat.maxRuntimeSeconds === null ? 'any time' : duration(heartbeat.maxRuntimeSeconds)}
    </dd>
    <dt>Failures in a row</dt>
    <dd>${heartbeat.consecutiveFailures}</dd>
  </dl>
  ${
    heartbeat.heldDown &&
    html`<p class="problems">
      It failed so often in a row that one good run does not make it good again: it is down until
      two good runs follow one another. Nothing else ends that.
    </p>`
  }
  ${pingHelp(heartbeat)}
  <h2>Runs</h2>
  ${runs.ok ? runTable(runs.value.runs) : html`<p class="problems">The runs could not be read: ${runs.problem.message}</p>`}
`

const pingHelp = ({ pingUrl, periodSeconds }: Heartbeat): Piece => {
  if (pingUrl === null) return null
  const fields = cronFields(periodSeconds)
  return html`
    <h2>Where to ping</h2>
    <p>Whoever has this address can ping: keep it as you keep a password.</p>
    <pre><code>${pingUrl}</code></pre>
    <p>
      After the job, with its exit code; add <code>/start</code> before it to have its run time
      watched, <code>/fail</code> to report a failure.
    </p>
    <h3>In a crontab</h3>
    ${fields === null && html`<p>Put the job's own times in the place of the five stars.</p>`}
    <pre><code>${fields ?? '* * * * *'} /path/to/job; curl -fsS -m 10 --retry 5 -o /dev/null ${pingUrl}/$?</code></pre>
  `
}

const messageCharactersMax = 300

/** A ping's body may be ten kilobytes, and a table holds fifty of them. */
const cut = (message: string): string => {
  const characters = Array.from(message)
  return characters.length <= messageCharactersMax
    ? message
    : `${characters.slice(0, messageCharactersMax).join('')} ...`
}

const runTable = (runs: readonly Run[]): Html =>
  runs.length === 0
    ? html`<p>No run was told of yet.</p>`
    : table(
        `The newest runs, ${runs.length} of them at most 50`,
        [
          { heading: 'Ended', cell: ({ finishedAt }) => time(finishedAt) },
          { heading: 'Started', cell: ({ startedAt }) => time(startedAt) },
          {
            heading: 'Outcome',
            cell: ({ outcome, stuck }) =>
              html`${tag(outcomeWords[outcome])}${stuck && outcome !== 'stuck' && ' outlived its time'}`,
          },
          {
            heading: 'Took',
            isNumber: true,
            cell: ({ durationMs }) =>
              durationMs === null
                ? none
                : durationMs < 1000
                  ? `${durationMs} ms`
                  : duration(durationMs / 1000),
          },
          { heading: 'Exit code', isNumber: true, cell: ({ exitCode }) => exitCode ?? none },
          {
            heading: 'Message',
            cell: ({ message }) => html`<bdi>${message === null ? none : cut(message)}</bdi>`,
          },
        ],
        runs,
      )
