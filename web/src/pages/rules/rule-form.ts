import { expiryDaysDefault } from '@probe-mesh/contracts/alert/alert-rule'
import type { AlertRule, AlertStatus, CreateAlertRuleInput } from '@probe-mesh/contracts/alert/alert-rule'
import { checkField, problemSummary, radioField, textField } from '../../html/components/form.ts'
import type { Choice, FormState } from '../../html/components/form.ts'
import { html } from '@probe-mesh/runtime/html'
import type { Html } from '@probe-mesh/runtime/html'
import { choicesField } from '../../html/components/choices-field.ts'
import { checkSearch, enterButton, tickedIn, untickButton } from './check-boxes.ts'
import type { CheckBoxes } from './check-boxes.ts'

/** What is said of each status that a rule may name. */
export const statusNames: Readonly<Record<AlertStatus, string>> = {
  down: 'down',
  degraded: 'degraded: blocked, or failing in too few regions to be down',
  stale: 'stale: nothing is heard of it any more',
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
    emailUsers: form.has('emailUsers'),
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
  emailUsers: false,
}

export type Named = { id: string; name: string }
/** What a rule can name. */
export type Nameable = { boxes: CheckBoxes; channels: readonly Named[] }

const choicesOf = (all: readonly Named[]): Choice[] =>
  all.map(({ id, name }) => ({ value: id, label: name })).toSorted((a, b) => (a.label < b.label ? -1 : 1))

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
  'emailUsers',
]

/** @param form.typed.q what checks are looked for by */
export const ruleForm = (
  to: { id: AlertRule['id'] | null },
  { rule, ticked }: ShownRule,
  { boxes, channels }: Nameable,
  form: FormState,
): Html => {
  const path = `/dashboard/rules${to.id === null ? '' : `/${to.id}`}`
  const text = form.typed['q'] ?? ''
  return html`
    ${problemSummary(form, fieldNames)}
    <form method="post" action="${path}">
      ${enterButton}
      <div class="fields">
        ${textField(form, { name: 'name', label: 'Name', fallback: rule.name, isRequired: true })}
        ${checkField(form, { name: 'enabled', label: 'The rule is on', fallback: rule.enabled })}
        ${choicesField(form, {
          name: 'statuses',
          label: 'Tells when a check is',
          choices: Object.entries(statusNames).map(([value, label]) => ({ value, label })),
          ticked: new Set(rule.statuses),
        })}
        ${checkField(form, {
          name: 'unconfirmed',
          label: 'Also when an outage cannot be confirmed',
          hint: 'A check fails in every region that may vote, and too few may: others are quarantined.',
          fallback: rule.unconfirmed ?? true,
        })}
        ${textField(form, {
          name: 'afterSeconds',
          label: 'After how many seconds',
          hint: 'For how long a check must be so before anybody is told: 0 to 86400. At 0 a failure of seconds is told as well, as soon as a second region confirms it; at 60 nobody hears of one that is over within a minute.',
          fallback: String(rule.afterSeconds),
          inputMode: 'numeric',
          isRequired: true,
        })}
        ${textField(form, {
          name: 'certificateDays',
          label: 'Days before a certificate expires',
          hint: 'Up to five numbers, such as 14, 7, 1: one message when each is reached, and one when the certificate is renewed. Empty: none.',
          fallback: rule.certificateDays.join(', '),
        })}
        ${textField(form, {
          name: 'domainDays',
          label: 'Days before a domain expires',
          hint: 'The same for the registration of the domain, where its registry tells. Empty: none.',
          fallback: rule.domainDays.join(', '),
        })}
        ${radioField(form, {
          name: 'checks',
          label: 'Of which checks',
          fallback: rule.checkIds === null ? 'all' : 'some',
          choices: [
            { value: 'all', label: 'All, also those that are made later' },
            { value: 'some', label: 'Those that are ticked' },
          ],
        })}
        ${checkSearch(boxes, { text, path })}
        ${choicesField(form, {
          name: 'checkIds',
          label: 'Checks',
          choices: boxes.choices,
          ticked: new Set(ticked.checkIds),
        })}
        ${untickButton(boxes, path)}
        ${radioField(form, {
          name: 'channels',
          label: 'Over which channels',
          fallback: rule.channelIds === null ? 'all' : 'some',
          choices: [
            { value: 'all', label: 'All, also those that are made later' },
            { value: 'some', label: 'Those that are ticked' },
          ],
        })}
        ${choicesField(form, {
          name: 'channelIds',
          label: 'Channels',
          choices: choicesOf(channels),
          ticked: new Set(ticked.channelIds),
        })}
        ${checkField(form, {
          name: 'emailUsers',
          label: 'Mail every user of the account as well',
          fallback: rule.emailUsers,
        })}
      </div>
      <p class="actions">
        <button class="primary" type="submit" name="act" value="save">
          ${to.id === null ? 'Make the rule' : 'Save the rule'}
        </button>
        <a href="/dashboard/rules">Back to the rules</a>
      </p>
    </form>
  `
}
