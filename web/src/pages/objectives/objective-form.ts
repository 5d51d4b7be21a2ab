import type { AlertRule } from '@probe-mesh/contracts/alert/alert-rule'
import { latencyChecksMax, windowDays } from '@probe-mesh/contracts/objective/objective'
import { html, type Html } from '@probe-mesh/runtime/html'
import { card } from '../../html/components/card.ts'
import {
  problemSummary,
  selectField,
  textField,
  type Choice,
  type FormState,
  type Typed,
} from '../../html/components/form.ts'
import { checkSearch, type CheckChoices } from '../check-choice.ts'

const names = ['name', 'target', 'windowDays', 'checkId', 'tag', 'latencyMsMax', 'alertRuleId']

/** The API's input. A target may be typed with a comma. */
export const objectiveBody = (typed: Typed): unknown => {
  const field = (name: string): string => typed[name]?.trim() ?? ''
  const number = (text: string): number => (text === '' ? Number.NaN : Number(text.replace(',', '.')))
  return {
    name: field('name'),
    target: number(field('target')),
    windowDays: number(field('windowDays')),
    checkId: field('checkId') === '' ? null : field('checkId'),
    tag: field('tag') === '' ? null : field('tag'),
    latencyMsMax: field('latencyMsMax') === '' ? null : number(field('latencyMsMax')),
    alertRuleId: field('alertRuleId') === '' ? null : field('alertRuleId'),
  }
}

const ruleChoice = ({ id, name, enabled }: Pick<AlertRule, 'id' | 'name' | 'enabled'>): Choice => ({
  value: id,
  label: enabled ? `receivers of ${name}` : `receivers of ${name}, which is off`,
})

/** The target below which a full outage burns slower than a rate, in percent: `93.06`. */
const unreachableBelow = (rate: number): string => (Math.ceil((100 - 100 / rate) * 100) / 100).toFixed(2)

/** The form of an objective. @param to.id null creates it */
export const objectiveForm = (
  to: { id: string | null },
  form: FormState,
  checks: CheckChoices & { text: string },
  rules: readonly Pick<AlertRule, 'id' | 'name' | 'enabled'>[],
): Html => {
  const path = `/dashboard/objectives${to.id === null ? '' : `/${to.id}`}`
  return html`${problemSummary(form, names)}
    ${checkSearch(checks, { path: to.id === null ? `${path}/new` : path, text: checks.text, query: {} })}
    <form method="post" action="${path}">
      ${card(
        {
          id: 'settings',
          title: 'Objective',
          about: 'Of one check, or of all checks with a tag.',
        },
        html`<div class="fields">
          ${textField(form, { name: 'name', label: 'Name', isRequired: true })}
          ${textField(form, {
            name: 'target',
            label: 'Target, percent of probes that are up',
            hint: `50 to 99.999. Below ${unreachableBelow(14.4)} a full outage burns slower than 14.4, below ${unreachableBelow(6)} slower than 6: that pair never burns.`,
            inputMode: 'decimal',
            fallback: '99.9',
            isRequired: true,
          })}
          ${selectField(form, {
            name: 'windowDays',
            label: 'Window',
            fallback: '30',
            choices: windowDays.map((days) => ({ value: String(days), label: `${days} days` })),
          })}
          ${selectField(form, {
            name: 'checkId',
            label: 'Check',
            choices: [{ value: '', label: 'none: all checks with a tag' }, ...checks.choices],
          })}
          ${textField(form, { name: 'tag', label: 'Tag', hint: 'Only without a check.' })}
          ${textField(form, {
            name: 'latencyMsMax',
            label: 'Latency, ms',
            hint: `Slower probes count as failed. Empty: only probes that are down do. Up to ${latencyChecksMax} checks, as far back as single readings are kept.`,
            inputMode: 'numeric',
          })}
          ${selectField(form, {
            name: 'alertRuleId',
            label: 'Notify when it burns',
            hint: 'The channels, members and addresses of an alert rule get a message when a burn begins and when it ends. Its escalation policy is not started.',
            choices: [{ value: '', label: 'no one' }, ...rules.map(ruleChoice)],
          })}
        </div>`,
      )}
      <p class="actions">
        <button class="primary" type="submit">
          ${to.id === null ? 'Create objective' : 'Save objective'}
        </button>
        <a href="/dashboard/objectives">Cancel</a>
      </p>
    </form>`
}
