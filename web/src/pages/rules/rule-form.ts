import {
  expiryDaysDefault,
  type AlertRule,
  type AlertStatus,
  type CreateAlertRuleInput,
} from '@probe-mesh/contracts/alert/alert-rule'
import {
  checkField,
  problemSummary,
  selectField,
  textField,
  type FormState,
} from '../../html/components/form.ts'
import { orNull } from '../typed.ts'
import { html, type Html } from '@probe-mesh/runtime/html'
import { card } from '../../html/components/card.ts'
import { choicesField } from '../../html/components/choices-field.ts'
import { addressesCard, addressesIn, peopleCard, type People } from './people-card.ts'
import { receiversCard, scopeFields, type Named } from './receivers-card.ts'
import { checkSearch, enterButton, tickedIn, untickButton, type CheckBoxes } from './check-boxes.ts'

/** What is said of each status that a rule may name. */
const statusNames: Readonly<Record<AlertStatus, string>> = {
  down: 'down',
  degraded: 'degraded (blocked, or failing in some regions)',
  stale: 'stale (no recent readings)',
}

/** A rule as its form shows it: boxes stay ticked also where all were chosen instead of them. */
export type ShownRule = {
  rule: CreateAlertRuleInput
  ticked: { checkIds: readonly string[]; channelIds: readonly string[] }
}

/** A rule before anything was typed. */
export const shownRule = (rule: CreateAlertRuleInput): ShownRule => ({
  rule,
  ticked: { checkIds: rule.checkIds ?? [], channelIds: rule.channelIds ?? [] },
})

export const shownIn = (form: URLSearchParams): ShownRule => ({
  rule: ruleIn(form),
  ticked: { checkIds: tickedIn(form), channelIds: form.getAll('channelIds') },
})

/** A rule as its form has it; what is not a number in it is refused by the API, beside its field. */
export const ruleIn = (form: URLSearchParams): CreateAlertRuleInput => {
  const seconds = (form.get('afterSeconds') ?? '').trim()
  return {
    name: form.get('name') ?? '',
    enabled: form.has('enabled'),
    checkIds: form.get('checks') === 'some' ? form.getAll('checkIds') : null,
    statuses: form.getAll('statuses') as AlertStatus[],
    unconfirmed: form.has('unconfirmed'),
    certificateDays: daysIn(form.get('certificateDays')),
    domainDays: daysIn(form.get('domainDays')),
    afterSeconds: seconds === '' ? Number.NaN : Number(seconds),
    channelIds: form.get('channels') === 'some' ? form.getAll('channelIds') : null,
    fallbackChannelId: form.get('fallbackChannelId') || null,
    emailUsers: form.has('emailUsers'),
    userIds: form.getAll('userIds'),
    addresses: addressesIn(form.get('addresses')),
    escalationId: orNull(form.get('escalationId') ?? ''),
  }
}

/** `14, 7, 1`; what is no number is refused by the API. */
const daysIn = (text: string | null): number[] =>
  (text ?? '')
    .split(/[\s,]+/)
    .filter((each) => each !== '')
    .map(Number)

export const newRule: CreateAlertRuleInput = {
  name: '',
  enabled: true,
  checkIds: null,
  statuses: ['down'],
  unconfirmed: true,
  certificateDays: [...expiryDaysDefault],
  domainDays: [...expiryDaysDefault],
  afterSeconds: 0,
  channelIds: null,
  fallbackChannelId: null,
  emailUsers: false,
  userIds: [],
  addresses: [],
  escalationId: null,
}

/** What a rule can name. */
export type Nameable = {
  boxes: CheckBoxes
  channels: readonly Named[]
  people: People
  policies: readonly Named[]
}

const fieldNames = [
  'name',
  'checks',
  'checkIds',
  'statuses',
  'unconfirmed',
  'afterSeconds',
  'certificateDays',
  'domainDays',
  'channels',
  'channelIds',
  'fallbackChannelId',
  'emailUsers',
  'userIds',
  'addresses',
  'escalationId',
]

/** @param form.typed.q what checks are looked for by */
export const ruleForm = (
  to: { id: AlertRule['id'] | null },
  { rule, ticked }: ShownRule,
  { boxes, channels, people, policies }: Nameable,
  form: FormState,
): Html => {
  const path = `/dashboard/rules${to.id === null ? '' : `/${to.id}`}`
  const text = form.typed['q'] ?? ''
  return html`
    ${problemSummary(form, fieldNames)}
    <form method="post" action="${path}">
      ${enterButton}
      ${card(
        { id: 'rule', title: 'Rule' },
        html`<div class="fields">
          ${textField(form, { name: 'name', label: 'Name', fallback: rule.name, isRequired: true })}
          ${checkField(form, { name: 'enabled', label: 'Rule is on', fallback: rule.enabled })}
        </div>`,
      )}
      ${card(
        { id: 'when', title: 'Notify when' },
        html`<div class="fields">
          ${choicesField(form, {
            name: 'statuses',
            label: 'A check is',
            choices: Object.entries(statusNames).map(([value, label]) => ({ value, label })),
            ticked: new Set(rule.statuses),
          })}
          ${checkField(form, {
            name: 'unconfirmed',
            label: 'Include unconfirmed failures',
            hint: 'A check fails in every region that may vote, but other regions are in quarantine.',
            fallback: rule.unconfirmed ?? true,
          })}
          ${textField(form, {
            name: 'afterSeconds',
            label: 'Delay in seconds',
            hint: 'How long the state must last: 0 to 86400. With 60, failures under a minute cause no alert.',
            fallback: String(rule.afterSeconds),
            inputMode: 'numeric',
            isRequired: true,
          })}
          ${textField(form, {
            name: 'certificateDays',
            label: 'Days before a certificate expires',
            hint: 'Up to 5 numbers, such as 14, 7, 1. Empty: none.',
            fallback: rule.certificateDays.join(', '),
          })}
          ${textField(form, {
            name: 'domainDays',
            label: 'Days before a domain expires',
            hint: 'Where the registry publishes the date. Empty: none.',
            fallback: rule.domainDays.join(', '),
          })}
        </div>`,
      )}
      ${card(
        { id: 'checks-card', title: 'Checks' },
        html`<div class="fields">
          ${scopeFields(form, {
            kind: 'check',
            label: 'Scope',
            ids: rule.checkIds,
            ticked: ticked.checkIds,
            choices: boxes.choices,
            before: checkSearch(boxes, { text, path }),
            after: untickButton(boxes, path),
          })}
        </div>`,
      )}
      ${receiversCard(form, rule, { ticked: ticked.channelIds, channels })} ${peopleCard(form, rule, people)}
      ${escalationCard(form, rule, policies)}
      <p class="actions">
        <button class="primary" type="submit" name="act" value="save">
          ${to.id === null ? 'Create rule' : 'Save rule'}
        </button>
        <a href="/dashboard/rules">Cancel</a>
      </p>
    </form>
    ${to.id !== null && addressesCard({ id: to.id, addresses: rule.addresses }, people)}
  `
}

const escalationCard = (
  form: FormState,
  { escalationId }: Pick<CreateAlertRuleInput, 'escalationId'>,
  policies: readonly Named[],
): Html =>
  card(
    { id: 'escalation', title: 'Escalation' },
    html`<div class="fields">
      ${selectField(form, {
        name: 'escalationId',
        label: 'Escalation policy',
        hint: html`Notifies its levels one after another until somebody acknowledges, besides the receivers
          above. Certificates and domains notify only those.
          <a href="/dashboard/on-call">Schedules and policies</a>`,
        fallback: escalationId ?? '',
        choices: [
          { value: '', label: 'none' },
          ...policies.map(({ id, name }) => ({ value: id, label: name })),
        ],
      })}
    </div>`,
  )
