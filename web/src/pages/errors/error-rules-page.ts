import type { ErrorRule, ErrorRuleEvent } from '@probe-mesh/contracts/error-tracking/error-rule'
import { html } from '@probe-mesh/runtime/html'
import type { Html } from '@probe-mesh/runtime/html'
import { named, time } from '../../html/measures.ts'
import { table } from '../../html/components/table.ts'
import { number } from './counted.ts'
import type { Nameable, Named } from './error-rule-form.ts'

const namesOf = (ids: readonly string[] | null, all: readonly Named[], what: string): Html => {
  if (ids === null) return html`all ${what}`
  const those = all.filter(({ id }) => ids.includes(id))
  if (those.length === 0) return html`no ${what}`
  if (those.length > 3) return html`${those.length} ${what}`
  return html`${those.map(({ name }, index) => [index > 0 && ', ', named(name)])}`
}

const eventText = (event: ErrorRuleEvent, { spike }: ErrorRule): string => {
  if (event === 'new_issue') return 'new issues'
  if (event === 'regression') return 'issues that come back'
  const whose = spike.of === 'project' ? 'a project' : 'an issue'
  return `at least ${number(spike.eventsMin)} events of ${whose} in ${spike.spanMinutes} minutes, ${spike.factor} times as many as usual`
}

const waitingText = ({ waiting }: ErrorRule): Html =>
  waiting === null
    ? html`nothing`
    : html`${number(waiting.count)} more, in one message ${time(waiting.tellAt)}`

/** Who is told of error issues, and when. */
export const errorRulesPage = (rules: readonly ErrorRule[], { projects, channels }: Nameable): Html => html`
  <p>
    A rule says who is told of error issues. Where no rule speaks of them, nobody is told. A rule tells of ten
    in an hour by themselves; what comes besides is counted, and told as one message when the hour is over.
    <a href="/dashboard/rules">Rules of checks</a> are a list of their own.
  </p>
  <p class="actions"><a class="button" href="/dashboard/errors/rules/new">Make a rule</a></p>
  ${
    rules.length === 0
      ? html`<p>There is no rule yet: nobody is told of any error.</p>`
      : table<ErrorRule>(
          'Alert rules of error tracking',
          [
            {
              heading: 'Name',
              cell: ({ id, name }) => html`<a href="/dashboard/errors/rules/${id}">${named(name)}</a>`,
            },
            { heading: 'State', cell: ({ enabled }) => (enabled ? 'on' : 'off') },
            {
              heading: 'Tells of',
              cell: (rule) => rule.events.map((event) => eventText(event, rule)).join('; '),
            },
            { heading: 'In', cell: ({ projectIds }) => namesOf(projectIds, projects, 'projects') },
            {
              heading: 'Tells',
              cell: ({ channelIds, emailUsers }) => [
                namesOf(channelIds, channels, 'channels'),
                emailUsers && ', mail to every user',
              ],
            },
            { heading: 'Waits to be told', cell: waitingText },
            {
              heading: 'Delete',
              cell: ({ id, name }) =>
                html`<a href="/dashboard/errors/rules/${id}/delete"
                  >Delete<span class="unseen"> ${name}</span></a
                >`,
            },
          ],
          rules,
        )
  }
`

export const deleteErrorRulePage = ({ id, name, waiting }: ErrorRule): Html => html`
  <p>
    Nobody is told of errors by <bdi>${name}</bdi> any more, and the times of more events than usual that it
    found are forgotten. Projects, issues, channels and what was sent already stay.
  </p>
  ${waiting !== null && html`<p>${number(waiting.count)} things wait to be told by it: nobody is told of them.</p>`}
  <form method="post" action="/dashboard/errors/rules/${id}/delete">
    <p class="actions">
      <button class="danger" type="submit">Delete the rule</button>
      <a href="/dashboard/errors/rules">Keep it</a>
    </p>
  </form>
`
