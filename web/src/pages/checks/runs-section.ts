import type { Heartbeat, Run, RunOutcome } from '@probe-mesh/contracts/heartbeat/heartbeat'
import { runLane, type LaneRow, type LaneRun } from '../../charts/run-lane.ts'
import { html, type Html } from '@probe-mesh/runtime/html'
import { duration, none, time } from '../../html/measures.ts'
import { emptyState } from '../../html/components/card.ts'
import { table } from '../../html/components/table.ts'
import { tag, type Wording } from '../../html/components/tag.ts'
import { timingsOf, type RunTiming } from './run-timing.ts'

const outcomeWords: Readonly<Record<RunOutcome, Wording>> = {
  running: { tone: 'silent', text: 'Running' },
  success: { tone: 'good', text: 'Success' },
  failure: { tone: 'bad', text: 'Failure' },
  stuck: { tone: 'bad', text: 'Stuck' },
  missed: { tone: 'bad', text: 'Missed' },
}

const failed: ReadonlySet<RunOutcome> = new Set(['failure', 'stuck'])

const rowOf = ({ outcome }: Run, timing: RunTiming): LaneRow => {
  if (failed.has(outcome)) return 'failed or stuck'
  if (outcome === 'missed' || outcome === 'running') return outcome
  return timing === null || timing === 'missed' ? 'successful' : timing
}

/** Runs over time, and each as a row. @param runs newest first */
export const runsSection = (runs: readonly Run[], heartbeat: Heartbeat, nowMs: number): Html => {
  const timings = timingsOf(runs, heartbeat)
  const lane = runs.flatMap((run, index): LaneRun[] => {
    const from = run.startedAt ?? run.finishedAt
    if (from === null) return []
    const toMs = run.finishedAt === null ? null : Date.parse(run.finishedAt)
    // a stuck run has no known end
    const isOpen = run.outcome === 'running'
    const fromMs = Date.parse(from)
    return [{ row: rowOf(run, timings[index] ?? null), fromMs, toMs: isOpen ? toMs : (toMs ?? fromMs) }]
  })
  const { nextExpectedAt, periodSeconds } = heartbeat
  return html`
    ${runLane(lane, {
      title: 'Runs over time',
      nowMs,
      nextMs: nextExpectedAt === null ? null : Date.parse(nextExpectedAt),
    })}
    ${
      runs.length > 0 &&
      html`<p class="muted small-print">
        ${
          periodSeconds === null
            ? 'With a schedule only missed runs are marked, not early or late ones.'
            : 'Counted from the run before. Early: by more than the grace. Late: by more than a tenth of the grace.'
        }
      </p>`
    }
    ${runTable(runs, timings)}
  `
}

const messageCharactersMax = 300

/** A ping's body may have 10 KB, and the table has fifty rows. */
const cut = (message: string): string => {
  const characters = Array.from(message)
  return characters.length <= messageCharactersMax
    ? message
    : `${characters.slice(0, messageCharactersMax).join('')} ...`
}

const runTable = (runs: readonly Run[], timings: readonly RunTiming[]): Html =>
  runs.length === 0
    ? emptyState({ icon: 'heartbeat', title: 'No runs yet', text: 'Runs are listed after the first ping.' })
    : table(
        'Newest runs',
        [
          { heading: 'Ended', cell: ({ finishedAt }) => time(finishedAt) },
          { heading: 'Started', cell: ({ startedAt }) => time(startedAt) },
          {
            heading: 'Outcome',
            cell: ({ outcome, stuck }) =>
              html`${tag(outcomeWords[outcome])}${stuck && outcome !== 'stuck' && ' exceeded its longest run'}`,
          },
          { heading: 'Timing', cell: (run) => timings[runs.indexOf(run)] ?? none },
          {
            heading: 'Duration',
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
