import type { AlertRule } from '@probe-mesh/contracts/alert/alert-rule'
import { confirmForm } from '../../html/components/confirm-form.ts'
import { html, type Html } from '@probe-mesh/runtime/html'
import { duration, named } from '../../html/measures.ts'
import { emptyState } from '../../html/components/card.ts'
import { icon } from '../../html/components/icon.ts'
import { rowsTable } from '../../html/components/rows.ts'
import { tag } from '../../html/components/tag.ts'
import { mailedText, mailsAnyone, type People } from './people-card.ts'
import type { Named } from './receivers-card.ts'

/** Of more than these a rule's row says how many they are. */
const namesMax = 3

/** Checks whose names the rules' rows say. */
export const checksToName = (rules: readonly AlertRule[]): string[] =>
  rules.flatMap(({ checkIds }) => (checkIds !== null && checkIds.length <= namesMax ? checkIds : []))

const namesOf = (ids: readonly string[], all: readonly Named[], what: string): Html => {
  if (ids.length > namesMax) return html`${ids.length} ${what}`
  // one that was deleted since the rules were read has no name
  const those = all.filter(({ id }) => ids.includes(id))
  if (those.length === 0) return html`no ${what}`
  return html`${those.map(({ name }, index) => [index > 0 && (index === those.length - 1 ? ' and ' : ', '), named(name)])}`
}

const checksOf = ({ checkIds }: AlertRule, checks: readonly Named[]): Html => {
  if (checkIds === null) return html`any check`
  // none is made so: whatever is deleted leaves the rules that name it
  if (checkIds.length === 0) return html`no check (all were deleted)`
  return namesOf(checkIds, checks, 'checks')
}

type Receivers = Pick<Names, 'channels' | 'people' | 'policies'>

/** Whether a rule reaches anyone. A channel counts before its test: its messages wait. */
const reachesAnyone = (rule: AlertRule, { channels, people }: Receivers): boolean =>
  rule.escalationId !== null ||
  (rule.channelIds === null ? channels.length : rule.channelIds.length) > 0 ||
  mailsAnyone(rule, people)

/** Who a rule names; null where it names no one. */
const receiversOf = (rule: AlertRule, names: Receivers): Html | null => {
  const own = ownReceiversOf(rule, names)
  const policy = names.policies.find(({ id }) => id === rule.escalationId)
  if (policy === undefined) return own
  const escalated = html`the levels of
    <a href="/dashboard/on-call/policies/${policy.id}">${named(policy.name)}</a>`
  return own === null ? escalated : html`${own} and ${escalated}`
}

const ownReceiversOf = (rule: AlertRule, { channels, people }: Receivers): Html | null => {
  const { channelIds } = rule
  const reached = channelIds === null ? channels.length : channelIds.length
  const mail = mailedText(rule, people)
  if (reached === 0) return mail
  const over = channelIds === null ? html`all channels` : namesOf(channelIds, channels, 'channels')
  return mail === null ? over : html`${over} and ${mail}`
}

/** `down or stale` */
const statusesOf = ({ statuses, unconfirmed }: AlertRule): string => {
  const words: string[] = [...statuses, ...(unconfirmed ? ['failing without confirmation'] : [])]
  return words.length < 2 ? words.join() : `${words.slice(0, -1).join(', ')} or ${words.at(-1)}`
}

/** `14, 7 and 1 days before a certificate expires`; null without days. */
const expiryOf = ({ certificateDays, domainDays }: AlertRule): string | null => {
  const days = (numbers: readonly number[]): string =>
    numbers.length === 1
      ? `${numbers[0]} ${numbers[0] === 1 ? 'day' : 'days'}`
      : `${numbers.slice(0, -1).join(', ')} and ${numbers.at(-1)} days`
  if (certificateDays.length > 0 && certificateDays.join() === domainDays.join())
    return `${days(certificateDays)} before a certificate or domain expires`
  const parts = [
    certificateDays.length > 0 && `${days(certificateDays)} before a certificate expires`,
    domainDays.length > 0 && `${days(domainDays)} before a domain expires`,
  ].filter((each) => each !== false)
  return parts.length === 0 ? null : parts.join(', ')
}

/** What a rule does, as a sentence. */
const sentenceOf = (rule: AlertRule, names: Names): Html => {
  const { checks } = names
  const receivers = receiversOf(rule, names) ?? html`<strong class="bad">no one</strong>`
  const after = rule.afterSeconds === 0 ? 'at once' : `after ${duration(rule.afterSeconds)}`
  const expiry = expiryOf(rule)
  return html`Notifies ${receivers} when ${checksOf(rule, checks)}
  ${rule.checkIds === null || rule.checkIds.length === 1 ? 'is' : 'are'} ${statusesOf(rule)},
  ${after}${expiry !== null && `, and ${expiry}`}.`
}

type Names = {
  checks: readonly Named[]
  channels: readonly Named[]
  people: People
  policies: readonly Named[]
}

/** A rule that reaches no one looks like safety and is none. */
const unreachedWarning = (rules: readonly AlertRule[], names: Receivers): Html | null => {
  const unreached = rules.filter((rule) => rule.enabled && !reachesAnyone(rule, names))
  if (rules.some(({ enabled }) => enabled) && unreached.length === 0) return null
  if (unreached.length === 0)
    return html`<p class="problems" role="status">Every rule is off. No alert is sent.</p>`
  return html`<p class="problems" role="status">
    ${unreached.length === 1 ? html`${named(unreached[0]?.name ?? '')} notifies no one.` : `${unreached.length} rules notify no one.`}
    ${
      names.channels.length === 0
        ? html`<a href="/dashboard/channels/new">Add a channel</a
            >${names.people.sendsMail ? ', or choose people in the rule.' : '. This server sends no mail.'}`
        : `Choose a channel${names.people.sendsMail ? ' or people' : ''} in the rule.`
    }
  </p>`
}

/** Who is notified, and when. @param names what the rules name, every channel and every member */
export const rulesPage = (rules: readonly AlertRule[], names: Names): Html =>
  rules.length === 0
    ? emptyState({
        icon: 'rule',
        title: 'No alert rules',
        text: 'Without a rule no one is notified when a check fails.',
        action: { path: '/dashboard/rules/new', text: 'New alert rule' },
      })
    : html`${unreachedWarning(rules, names)}
        ${rowsTable(
          'Alert rules',
          [
            {
              heading: 'Rule',
              cell: ({ id, name }) => html`<a href="/dashboard/rules/${id}">${named(name)}</a>`,
            },
            {
              heading: 'State',
              cell: (rule) =>
                rule.enabled
                  ? reachesAnyone(rule, names)
                    ? tag({ tone: 'good', text: 'On' })
                    : tag({ tone: 'uncertain', text: 'Notifies no one' })
                  : tag({ tone: 'silent', text: 'Off' }),
            },
            { heading: 'What it does', cell: (rule) => sentenceOf(rule, names) },
            {
              heading: 'Actions',
              isActions: true,
              cell: ({ id, name }) =>
                html`<a class="button" href="/dashboard/rules/${id}"
                    >Edit<span class="unseen"> ${name}</span></a
                  ><a
                    class="button icon-only"
                    href="/dashboard/rules/${id}/delete"
                    data-confirm
                    aria-label="Delete ${name}"
                    >${icon('delete')}</a
                  >`,
            },
          ],
          rules,
        )}
        <p class="muted small-print">
          Alerts for error issues have <a href="/dashboard/errors/rules">rules of their own</a>.
        </p>`

export const deleteRulePage = ({ id, name }: AlertRule, isLast: boolean): Html =>
  html`<div data-dialog>
    <p>
      <bdi>${name}</bdi> notifies no one any more, also not about recoveries. Checks, channels and sent
      messages stay.
    </p>
    ${isLast && html`<p>This is the only alert rule. Without it no alert is sent.</p>`}
    ${confirmForm({ action: `/dashboard/rules/${id}/delete`, button: 'Delete rule', cancel: '/dashboard/rules' })}
  </div>`
