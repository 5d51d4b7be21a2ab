import { inFigures } from '@probe-mesh/contracts/schema/in-figures'
import {
  replayDays,
  replayReadingsMax,
  type ReplayedRule,
  type RuleReplay,
} from '@probe-mesh/contracts/check/rule-replay'
import { html, type Html } from '@probe-mesh/runtime/html'
import { icon } from '../../html/components/icon.ts'
import { table, type Column } from '../../html/components/table.ts'
import { exactTime, shortDuration } from '../../html/measures.ts'

/**
 * Tries the rule of the form on what is stored, and shows what it would have made of it beside the rule that holds now.
 * @param path of the form
 */
export const replayPanel = (path: string, replay: RuleReplay | null): Html =>
  html`<section class="replay" id="replay" tabindex="-1" aria-labelledby="replay-heading">
    <h2 id="replay-heading">What it would have done</h2>
    <button type="submit" name="act" value="replay" formnovalidate formaction="${path}#replay" data-inplace>
      ${icon('run')}Try on the last ${replayDays} days
    </button>
    ${replay === null ? html`<p class="hint">Judges the stored readings again by the rule above and by the saved one, up to ${inFigures(replayReadingsMax)} of them, within 20 s. Saves nothing.</p>` : replayResult(replay)}
  </section>`

const cutWords: Readonly<Record<NonNullable<RuleReplay['cut']>, string>> = {
  age: 'The check is not older.',
  plan: 'The plan of this account keeps no older readings.',
  readings: `At this interval a replay of at most ${inFigures(replayReadingsMax)} readings goes back no further.`,
  time: 'The time limit ended it before the newest readings. Try again in a while.',
}

const replayResult = ({ from, to, readings, cut, current, tried }: RuleReplay): Html =>
  html`<p>This one: ${tried.text}<br />The saved one: ${current.text}</p>
    ${table('Both rules on the same readings', columns, [
      { name: 'This one', rule: tried },
      { name: 'The saved one', rule: current },
    ])}
    ${outageList('With this rule', tried)} ${outageList('With the saved rule', current)}
    <p class="hint">
      ${inFigures(readings)} readings, ${exactTime(from)} to ${exactTime(to)}.
      ${cut !== null && cutWords[cut]} Judged as they arrived, with the regions, pauses and quarantines of
      that time.
    </p>`

type Row = { name: string; rule: ReplayedRule }

const columns: readonly Column<Row>[] = [
  { heading: 'Rule', cell: ({ name }) => name },
  { heading: 'Outages', isNumber: true, cell: ({ rule }) => inFigures(rule.outages) },
  { heading: 'Down', isNumber: true, cell: ({ rule }) => shortDuration(rule.downSeconds) },
  { heading: 'Degraded', isNumber: true, cell: ({ rule }) => shortDuration(rule.degradedSeconds) },
]

const outageList = (title: string, { outages, newest }: ReplayedRule): Html | null =>
  newest.length === 0
    ? null
    : html`<details>
        <summary>
          ${title}:
          ${outages > newest.length ? `the newest ${newest.length} of ${outages} outages` : `${outages} ${outages === 1 ? 'outage' : 'outages'}`}
        </summary>
        <ul>
          ${newest.map(
            ({ startedAt, endedAt, downSeconds, reason }) =>
              html`<li>
                ${exactTime(startedAt)}, ${endedAt === null ? 'not ended, ' : ''}down for
                ${shortDuration(downSeconds)} ${reason !== null && html`<bdi class="reason">${reason}</bdi>`}
              </li>`,
          )}
        </ul>
      </details>`
