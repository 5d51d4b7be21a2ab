import { inFigures } from '@probe-mesh/contracts/schema/in-figures'
import type { ErrorRule, ErrorRuleEvent } from '../contracts/error-rule.ts'
import { emptyState } from '@probe-mesh/web/src/html/components/card'
import { menu } from '@probe-mesh/web/src/html/components/menu'
import { tag } from '@probe-mesh/web/src/html/components/tag'
import { confirmForm } from '@probe-mesh/web/src/html/components/confirm-form'
import { html, type Html, type Piece } from '@probe-mesh/runtime/html'
import { named, time } from '@probe-mesh/web/src/html/measures'
import { counted } from './counted.ts'
import type { Nameable } from './error-rule-form.ts'
import type { Named } from '@probe-mesh/web/src/pages/rules/receivers-card'
import { areaTabs, rulesPath } from './project-tabs.ts'

/** More names than these are counted. */
const namesMax = 3

const namesOf = (ids: readonly string[] | null, all: readonly Named[], what: string): Html => {
  if (ids === null) return html`all ${what}s`
  const those = all.filter(({ id }) => ids.includes(id))
  if (those.length === 0) return html`no ${what}`
  if (those.length > namesMax) return html`${counted(those.length, what)}`
  return html`${joined(those.map(({ name }) => named(name)))}`
}

/** `a, b and c` */
const joined = (pieces: readonly Piece[]): Piece =>
  pieces.map((piece, index) => [index === 0 ? '' : index === pieces.length - 1 ? ' and ' : ', ', piece])

const eventText = (event: ErrorRuleEvent, { spike }: ErrorRule): string => {
  if (event === 'new_issue') return 'new issues'
  if (event === 'regression') return 'regressions'
  const whose = spike.of === 'project' ? 'a project' : 'an issue'
  return `spikes (${inFigures(spike.eventsMin)} or more events of ${whose} in ${spike.spanMinutes} min, ${spike.factor} times the usual)`
}

/** Whether a rule has a channel or a user to notify. */
const hasNoReceiver = ({ channelIds, emailUsers }: ErrorRule, channels: readonly Named[]): boolean => {
  const own = channelIds === null ? channels : channels.filter(({ id }) => channelIds.includes(id))
  return own.length === 0 && !emailUsers
}

/** `Notifies all channels and every user by e-mail of new issues and regressions in all projects.` */
const sentenceOf = (rule: ErrorRule, { projects, channels }: Nameable): Piece => {
  const receivers: Piece[] = [
    ...(rule.channelIds?.length === 0 ? [] : [namesOf(rule.channelIds, channels, 'channel')]),
    ...(rule.emailUsers ? ['every user by e-mail'] : []),
  ]
  const events = rule.events.map((event) => eventText(event, rule))
  return html`Notifies ${receivers.length === 0 ? 'no channel' : joined(receivers)} of ${joined(events)} in
  ${namesOf(rule.projectIds, projects, 'project')}.`
}

const stateOf = (rule: ErrorRule, channels: readonly Named[]): Html => {
  if (!rule.enabled) return tag({ tone: 'silent', text: 'Disabled' })
  if (hasNoReceiver(rule, channels)) return tag({ tone: 'uncertain', text: 'No receiver' })
  return tag({ tone: 'good', text: 'Enabled' })
}

/** The alert rules of all projects, each as a sentence. */
export const errorRulesPage = (rules: readonly ErrorRule[], nameable: Nameable): Html => html`
  ${areaTabs('rules')}
  ${
    rules.length === 0
      ? emptyState({
          icon: 'rule',
          title: 'No alert rules yet',
          text: 'Without a rule, errors notify no channel.',
          action: { path: `${rulesPath}/new`, text: 'New alert rule' },
        })
      : html`<table class="rows rule-rows">
            <caption class="unseen">
              Alert rules of errors
            </caption>
            <thead>
              <tr>
                <th scope="col">Rule</th>
                <th scope="col">State</th>
                <th scope="col"><span class="unseen">Actions</span></th>
              </tr>
            </thead>
            <tbody>
              ${rules.map((rule) => ruleRow(rule, nameable))}
            </tbody>
          </table>
          <p class="muted small-print">
            A rule sends up to ten messages per hour; the rest follows as one message.
            <a href="/dashboard/rules">Alert rules of checks</a>
          </p>`
  }
`

const ruleRow = (rule: ErrorRule, nameable: Nameable): Html => {
  const { id, name, waiting } = rule
  return html`<tr>
    <th scope="row">
      <a href="${rulesPath}/${id}">${named(name)}</a>
      <span class="sentence">${sentenceOf(rule, nameable)}</span>
    </th>
    <td class="state-cell">
      ${stateOf(rule, nameable.channels)}
      ${
        waiting !== null &&
        html`<span class="peak"
          >${counted(waiting.count, 'message')} pending, sent ${time(waiting.tellAt)}</span
        >`
      }
    </td>
    <td class="more">
      ${menu({ icon: 'more', label: `Actions for ${name}` }, [
        { text: 'Edit', icon: 'edit', path: `${rulesPath}/${id}` },
        {
          text: 'Delete',
          icon: 'delete',
          path: `${rulesPath}/${id}/delete`,
          isDanger: true,
          isConfirmed: true,
        },
      ])}
    </td>
  </tr>`
}

export const deleteErrorRulePage = ({ id, name, waiting }: ErrorRule): Html =>
  html`<div data-dialog>
    <p>${named(name)} is deleted for good. It no longer notifies of errors, and its spikes are forgotten.</p>
    ${waiting !== null && html`<p>${counted(waiting.count, 'pending message')} of it will not be sent.</p>`}
    <p class="muted">Projects, issues, channels and sent messages stay.</p>
    ${confirmForm({ action: `${rulesPath}/${id}/delete`, button: 'Delete rule', cancel: rulesPath })}
  </div>`
