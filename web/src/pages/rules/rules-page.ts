import type { AlertRule } from '@probe-mesh/contracts/alert-rule'
import { html } from '../../html/html.ts'
import type { Html } from '../../html/html.ts'
import { duration, named } from '../../html/measures.ts'
import { table } from '../../html/table.ts'
import type { Nameable, Named } from './rule-form.ts'

const namesOf = (ids: readonly string[] | null, all: readonly Named[], what: string): Html => {
  if (ids === null) return html`all ${what}`
  // a rule keeps the ids of what was deleted meanwhile
  const those = all.filter(({ id }) => ids.includes(id))
  if (those.length === 0) return html`no ${what}`
  if (those.length > 3) return html`${those.length} ${what}`
  return html`${those.map(({ name }, index) => [index > 0 && ', ', named(name)])}`
}

/** Who is told, and when. */
export const rulesPage = (
  rules: readonly AlertRule[],
  { checks, channels }: Nameable,
): Html => html`
  <p>
    An alert rule says who is told of what becomes of checks. Where no rule speaks of a check,
    nobody is told when it fails.
  </p>
  <p class="actions"><a class="button" href="/dashboard/rules/new">Make a rule</a></p>
  ${
    rules.length === 0
      ? html`<p>There is no alert rule yet: nobody is told of anything.</p>`
      : table(
          'Alert rules',
          [
            {
              heading: 'Name',
              cell: ({ id, name }) => html`<a href="/dashboard/rules/${id}">${named(name)}</a>`,
            },
            { heading: 'State', cell: ({ enabled }) => (enabled ? 'on' : 'off') },
            { heading: 'When', cell: ({ statuses }) => statuses.join(', ') },
            {
              heading: 'After',
              cell: ({ afterSeconds }) => (afterSeconds === 0 ? 'at once' : duration(afterSeconds)),
            },
            { heading: 'Of', cell: ({ checkIds }) => namesOf(checkIds, checks, 'checks') },
            {
              heading: 'Tells',
              cell: ({ channelIds, emailUsers }) => [
                namesOf(channelIds, channels, 'channels'),
                emailUsers && ', mail to every user',
              ],
            },
            {
              heading: 'Delete',
              cell: ({ id, name }) =>
                html`<a href="/dashboard/rules/${id}/delete"
                  >Delete<span class="unseen"> ${name}</span></a
                >`,
            },
          ],
          rules,
        )
  }
`

export const deleteRulePage = ({ id, name }: AlertRule, isLast: boolean): Html => html`
  <p>
    Nobody is told by <bdi>${name}</bdi> any more, also not that what it told of is over. Checks,
    channels and what was sent already stay.
  </p>
  ${isLast && html`<p>It is the only alert rule: without it nobody is told of anything.</p>`}
  <form method="post" action="/dashboard/rules/${id}/delete">
    <p class="actions">
      <button class="danger" type="submit">Delete the rule</button>
      <a href="/dashboard/rules">Keep it</a>
    </p>
  </form>
`
