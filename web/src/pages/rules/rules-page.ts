import type { AlertRule } from '@probe-mesh/contracts/alert/alert-rule'
import { html } from '@probe-mesh/runtime/html'
import type { Html } from '@probe-mesh/runtime/html'
import { duration, named } from '../../html/measures.ts'
import { table } from '../../html/components/table.ts'
import type { Named } from './rule-form.ts'

/** Of more than these a rule's row says how many they are. */
const namesMax = 3

/** Checks whose names the rules' rows say. Pure. */
export const checksToName = (rules: readonly AlertRule[]): string[] =>
  rules.flatMap(({ checkIds }) => (checkIds !== null && checkIds.length <= namesMax ? checkIds : []))

const namesOf = (ids: readonly string[], all: readonly Named[], what: string): Html => {
  if (ids.length > namesMax) return html`${ids.length} ${what}`
  // one that was deleted since the rules were read has no name
  const those = all.filter(({ id }) => ids.includes(id))
  if (those.length === 0) return html`no ${what}`
  return html`${those.map(({ name }, index) => [index > 0 && ', ', named(name)])}`
}

const checksOf = ({ checkIds }: AlertRule, checks: readonly Named[]): Html => {
  if (checkIds === null) return html`all checks`
  // none is made so: whatever is deleted leaves the rules that name it
  if (checkIds.length === 0) return html`no check any more: those that it named were deleted`
  return namesOf(checkIds, checks, 'checks')
}

const whenOf = ({ statuses, unconfirmed, certificateDays, domainDays }: AlertRule): string =>
  [
    [...statuses, ...(unconfirmed ? ['unconfirmed'] : [])].join(', '),
    ...(certificateDays.join() === domainDays.join()
      ? expiryOf('certificates and domains', certificateDays)
      : [...expiryOf('certificates', certificateDays), ...expiryOf('domains', domainDays)]),
  ].join('; ')

/** `domains that expire in 14, 7, 1 days`. */
const expiryOf = (what: string, days: readonly number[]): string[] =>
  days.length === 0 ? [] : [`${what} that expire in ${days.join(', ')} days`]

const receiversOf = ({ channelIds, emailUsers }: AlertRule, channels: readonly Named[]): Html => {
  const told = channelIds === null ? channels.length : channelIds.length
  const mail = emailUsers ? ', mail to every user' : ''
  if (told === 0 && !emailUsers) {
    return html`nobody: ${channelIds === null ? 'there is no channel yet' : 'it names no channel'}`
  }
  if (channelIds !== null) return html`${namesOf(channelIds, channels, 'channels')}${mail}`
  return html`all channels${told === 0 && ', of which there is none yet'}${mail}`
}

/** Who is told, and when. */
export const rulesPage = (
  rules: readonly AlertRule[],
  /** What the rules name, and every channel. */
  { checks, channels }: { checks: readonly Named[]; channels: readonly Named[] },
): Html => html`
  <p>
    An alert rule says who is told of what becomes of checks. Where no rule speaks of a check, nobody is told
    when it fails. Of <a href="/dashboard/errors/rules">error issues</a> rules of their own tell.
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
            { heading: 'When', cell: whenOf },
            {
              heading: 'After',
              cell: ({ afterSeconds }) =>
                afterSeconds === 0 ? 'at once, blips of seconds too' : duration(afterSeconds),
            },
            { heading: 'Of', cell: (rule) => checksOf(rule, checks) },
            { heading: 'Tells', cell: (rule) => receiversOf(rule, channels) },
            {
              heading: 'Delete',
              cell: ({ id, name }) =>
                html`<a href="/dashboard/rules/${id}/delete">Delete<span class="unseen"> ${name}</span></a>`,
            },
          ],
          rules,
        )
  }
`

export const deleteRulePage = ({ id, name }: AlertRule, isLast: boolean): Html => html`
  <p>
    Nobody is told by <bdi>${name}</bdi> any more, also not that what it told of is over. Checks, channels and
    what was sent already stay.
  </p>
  ${isLast && html`<p>It is the only alert rule: without it nobody is told of anything.</p>`}
  <form method="post" action="/dashboard/rules/${id}/delete">
    <p class="actions">
      <button class="danger" type="submit">Delete the rule</button>
      <a href="/dashboard/rules">Keep it</a>
    </p>
  </form>
`
