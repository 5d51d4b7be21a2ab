import {
  latencyChecksMax,
  type BurnWindow,
  type Objective,
  type ObjectiveState,
} from '@probe-mesh/contracts/objective/objective'
import { html, type Html, type Piece } from '@probe-mesh/runtime/html'
import { card, emptyState, facts } from '../../html/components/card.ts'
import { rowsTable } from '../../html/components/rows.ts'
import { tag } from '../../html/components/tag.ts'
import { exactTime, named, none, percent } from '../../html/measures.ts'

const path = '/dashboard/objectives'

/** `12.5 % left`, truncated like every share, or by how much more than the budget was spent. */
const leftText = (ratio: number): string =>
  ratio < 0
    ? `overspent by ${(Math.ceil(-ratio * 1000) / 10).toFixed(1)} %`
    : `${(Math.floor(ratio * 1000) / 10).toFixed(1)} % left`

/** `3.2 h`, in the unit that people read. */
const minutesText = (minutes: number): string => {
  const size = Math.abs(minutes)
  if (size >= 2_880) return `${(minutes / 1_440).toFixed(1)} days`
  if (size >= 120) return `${(minutes / 60).toFixed(1)} h`
  return `${minutes.toFixed(1)} min`
}

/** What matters most: a spent budget, a fast burn, or no judged probe. */
const stateTag = (state: ObjectiveState | null): Html => {
  if (state === null) return tag({ tone: 'silent', text: 'Not counted' })
  if (state.budgetRatio === null) return tag({ tone: 'silent', text: 'No probes' })
  if (state.budgetRatio < 0) return tag({ tone: 'bad', text: 'Missed' })
  if (state.burns.some(({ spending }) => spending === true))
    return tag({ tone: 'uncertain', text: 'Burning' })
  // little that was measured says little of the window
  return state.measuredShare < 0.5
    ? tag({ tone: 'silent', text: 'Met so far' })
    : tag({ tone: 'good', text: 'Met' })
}

/** `7.0 min of 30 days`: how much of the window was measured. */
const measuredText = ({ windowDays }: Objective, { measuredShare }: ObjectiveState): string =>
  `${minutesText(measuredShare * windowDays * 1_440)} of ${windowDays} days`

/** Receivers were told that it burns. */
const alertTag = (alerts: Objective['alerts']): Html | null =>
  alerts.length === 0 ? null : tag({ tone: 'bad', text: 'Alert open' })

/** The budget that is left as a bar, and in words beside it. */
const budgetBar = ({ budgetRatio }: ObjectiveState): Piece =>
  budgetRatio === null
    ? none
    : html`<meter
          class="budget"
          min="0"
          max="1"
          low="0.01"
          high="0.25"
          optimum="1"
          value="${Math.max(0, budgetRatio)}"
          aria-label="Error budget left"
        ></meter>
        ${leftText(budgetRatio)}`

const subject = ({ checkId, checkName, tag: ofTag }: Objective): Piece =>
  checkId === null
    ? html`tag <a href="/dashboard/checks?tag=${encodeURIComponent(ofTag ?? '')}">${named(ofTag ?? '')}</a>`
    : html`<a href="/dashboard/checks/${checkId}">${named(checkName ?? checkId)}</a>`

/** All objectives with what is left of their budgets. */
export const objectivesPage = (objectives: readonly Objective[]): Html =>
  card(
    {
      id: 'objectives',
      title: 'Objectives',
      actions: html`<a class="button" href="${path}/new">New objective</a>`,
    },
    objectives.length === 0
      ? emptyState({
          icon: 'objective',
          title: 'No objective yet',
          text: 'An objective says which share of the probes should be up, and how much may still fail.',
        })
      : rowsTable(
          'Service level objectives',
          [
            {
              heading: 'Objective',
              cell: ({ id, name }) => html`<a href="${path}/${id}">${named(name)}</a>`,
            },
            { heading: 'State', cell: ({ state, alerts }) => [stateTag(state), alertTag(alerts)] },
            { heading: 'Of', cell: subject },
            {
              heading: 'Target',
              cell: ({ target, windowDays }) => `${target} % in ${windowDays} days`,
            },
            {
              heading: 'Reached',
              cell: (objective) =>
                objective.state === null || objective.state.ratio === null
                  ? none
                  : `reached ${percent(objective.state.ratio)}, measured ${measuredText(objective, objective.state)}`,
            },
            { heading: 'Error budget', cell: ({ state }) => (state === null ? none : budgetBar(state)) },
          ],
          objectives,
        ),
  )

/** One objective: its budget, its burn rates, and its form. */
export const objectivePage = (objective: Objective, form: Html): Html => html`
  ${objective.state === null ? uncounted(objective) : budgetCard(objective, objective.state)}
  ${objective.state !== null && burnCard(objective, objective.state)} ${form}
  <p class="actions">
    <a class="button danger" href="${path}/${objective.id}/delete" data-confirm>Delete objective</a>
  </p>
`

const uncounted = ({ latencyMsMax }: Objective): Html =>
  card(
    { id: 'budget', title: 'Error budget' },
    html`<p>
      The probes cannot be counted now. Reload the page in a minute.
      ${latencyMsMax !== null && `With a latency, at most ${latencyChecksMax} checks are counted.`}
    </p>`,
  )

/** What is left of the budget, if the whole objective were down. */
const outageText = ({ budgetMinutes, budgetMinutesLeft }: ObjectiveState): string => {
  const whole = minutesText(budgetMinutes)
  if (budgetMinutesLeft === null) return `${whole} in the window`
  return budgetMinutesLeft < 0
    ? `${minutesText(-budgetMinutesLeft)} more than ${whole}`
    : `${minutesText(budgetMinutesLeft)} of ${whole}`
}

const budgetCard = (objective: Objective, state: ObjectiveState): Html => {
  const { latencyMsMax } = objective
  return card(
    {
      id: 'budget',
      title: 'Error budget',
      about: 'Scheduled probes of all regions, up or down. Refused and unmeasured probes count neither way.',
    },
    facts([
      ['State', stateTag(state)],
      [
        'Of',
        html`${subject(objective)}${objective.checkId === null && ` (${state.checks} ${state.checks === 1 ? 'check' : 'checks'})`}`,
      ],
      ['Reached', `${percent(state.ratio)} of ${objective.target} % in ${objective.windowDays} days`],
      ['Measured', measuredText(objective, state)],
      ['Failed probes are', latencyMsMax === null ? 'down' : `down, or slower than ${latencyMsMax} ms`],
      ['Failed probes', `${state.failed} of ${state.judged}`],
      ['Judged since', exactTime(state.judgedSince)],
      ['Error budget', budgetBar(state)],
      ['As minutes of an outage', outageText(state)],
      ['Counted', exactTime(state.at)],
    ]),
  )
}

/** What receivers know about a pair of windows. */
const alertText = ({ alertRuleId, alerts }: Objective, pair: string): Piece => {
  const open = alerts.find(({ long }) => long === pair)
  if (open !== undefined) return html`open since ${exactTime(open.since)}`
  return alertRuleId === null ? none : 'none open'
}

/** `0.50 over 1h`; of a time of which too little was probed, how much that was. */
const rateOver = ({ burnRates, burnMeasuredShares }: ObjectiveState, window: BurnWindow): string => {
  const rate = burnRates[window]
  if (rate !== null) return `${rate.toFixed(2)} over ${window}`
  return `not known over ${window}, ${percent(burnMeasuredShares[window])} measured`
}

const burnCard = (objective: Objective, state: ObjectiveState): Html =>
  card(
    {
      id: 'burn',
      title: 'Burn rates',
      about:
        'At 1 the budget lasts exactly the window. A pair burns when both of its times spend at its rate; a time of which less than half was probed has no rate.',
    },
    rowsTable(
      'Burn rates',
      [
        { heading: 'Times', cell: ({ long, short }) => `${long} and ${short}` },
        { heading: 'Long', cell: ({ long }) => rateOver(state, long) },
        { heading: 'Short', cell: ({ short }) => rateOver(state, short) },
        {
          heading: 'Burns',
          cell: ({ rate, long, budgetShare }) =>
            `burns from ${rate}: ${(budgetShare * 100).toFixed(1)} % of the budget in ${long}`,
        },
        {
          heading: 'State',
          cell: ({ spending, reachable }) =>
            !reachable
              ? tag({ tone: 'silent', text: 'Never: a full outage burns slower' })
              : spending === null
                ? tag({ tone: 'silent', text: 'Not known' })
                : spending
                  ? tag({ tone: 'uncertain', text: 'Burning' })
                  : tag({ tone: 'good', text: 'Slow' }),
        },
        { heading: 'Alert', cell: ({ long }) => alertText(objective, long) },
      ],
      state.burns,
    ),
  )
