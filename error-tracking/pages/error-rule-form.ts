import {
  spikeDefault,
  spikeSpansMinutes,
  type CreateErrorRuleInput,
  type ErrorRuleEvent,
} from '../contracts/error-rule.ts'
import type { FieldProblem } from '@probe-mesh/contracts/schema/refusal'
import { card } from '@probe-mesh/web/src/html/components/card'
import { choicesField } from '@probe-mesh/web/src/html/components/choices-field'
import {
  checkField,
  problemSummary,
  radioField,
  selectField,
  textField,
  type FormState,
} from '@probe-mesh/web/src/html/components/form'
import { html, type Html } from '@probe-mesh/runtime/html'
import {
  namedChoices,
  receiversCard,
  scopeFields,
  type Named,
} from '@probe-mesh/web/src/pages/rules/receivers-card'
import { rulesPath } from './project-tabs.ts'

/** The events of a rule. */
const eventNames: Readonly<Record<ErrorRuleEvent, string>> = {
  new_issue: 'New issue',
  regression: 'Regression: a resolved issue has a new event',
  spike: 'Spike: more events than usual, as defined below',
}

export type Nameable = { projects: readonly Named[]; channels: readonly Named[] }

/** A rule as its form shows it: boxes stay ticked when "all" is chosen. */
export type ShownErrorRule = {
  rule: CreateErrorRuleInput
  ticked: { projectIds: readonly string[]; channelIds: readonly string[] }
}

/** A rule as its form shows it first. */
export const shownErrorRule = (rule: CreateErrorRuleInput): ShownErrorRule => ({
  rule,
  ticked: { projectIds: rule.projectIds ?? [], channelIds: rule.channelIds ?? [] },
})

export const newErrorRule: CreateErrorRuleInput = {
  name: '',
  enabled: true,
  projectIds: null,
  events: ['new_issue', 'regression'],
  spike: spikeDefault,
  channelIds: null,
  emailUsers: false,
}

const numberIn = (form: URLSearchParams, name: string): number => {
  const text = (form.get(name) ?? '').trim()
  return text === '' ? Number.NaN : Number(text)
}

/** A rule as typed; the API refuses wrong values, and the form shows them at their fields. */
export const errorRuleIn = (form: URLSearchParams): ShownErrorRule => ({
  rule: {
    name: form.get('name') ?? '',
    enabled: form.has('enabled'),
    projectIds: form.get('projects') === 'some' ? form.getAll('projectIds') : null,
    events: form.getAll('events') as ErrorRuleEvent[],
    spike: {
      of: (form.get('spike.of') ?? '') as 'project',
      spanMinutes: numberIn(form, 'spike.spanMinutes') as 60,
      eventsMin: numberIn(form, 'spike.eventsMin'),
      factor: numberIn(form, 'spike.factor'),
    },
    channelIds: form.get('channels') === 'some' ? form.getAll('channelIds') : null,
    emailUsers: form.has('emailUsers'),
  },
  ticked: { projectIds: form.getAll('projectIds'), channelIds: form.getAll('channelIds') },
})

/** "All" together with ticked boxes: the rule could mean either. */
export const contradictions = (form: URLSearchParams): FieldProblem[] =>
  (
    [
      ['projects', 'projectIds'],
      ['channels', 'channelIds'],
    ] as const
  ).flatMap(([name, boxes]) =>
    form.get(name) !== 'some' && form.has(boxes)
      ? [
          {
            path: name,
            message: `"All ${name}" is chosen and some are ticked: untick them, or choose "Selected ${name}"`,
          },
        ]
      : [],
  )

const fieldNames = [
  'name',
  'events',
  'spike.of',
  'spike.spanMinutes',
  'spike.eventsMin',
  'spike.factor',
  'projects',
  'projectIds',
  'channels',
  'channelIds',
  'emailUsers',
]

const spikeFields = ({ spike }: CreateErrorRuleInput, form: FormState): Html =>
  card(
    { id: 'spike', title: 'Spike', about: 'used only if "Spike" is ticked' },
    html`<p class="muted">
        Usual is the average of the day before. A spike notifies once, and again only after it was over for a
        whole span.
      </p>
      <div class="fields">
        ${radioField(form, {
          name: 'spike.of',
          label: 'Counted events',
          fallback: spike.of,
          choices: [
            { value: 'project', label: 'All events of a project' },
            { value: 'issue', label: 'Events of each issue' },
          ],
        })}
        ${selectField(form, {
          name: 'spike.spanMinutes',
          label: 'Time span',
          fallback: String(spike.spanMinutes),
          choices: spikeSpansMinutes.map((minutes) => ({
            value: String(minutes),
            label: minutes === 60 ? '1 hour' : `${minutes} minutes`,
          })),
        })}
        ${textField(form, {
          name: 'spike.eventsMin',
          label: 'Minimum events in the span',
          hint: '1 to 1,000,000.',
          fallback: String(spike.eventsMin),
          inputMode: 'numeric',
          isRequired: true,
        })}
        ${textField(form, {
          name: 'spike.factor',
          label: 'Minimum factor over usual',
          hint: '1 to 1,000.',
          fallback: String(spike.factor),
          inputMode: 'decimal',
          isRequired: true,
        })}
      </div>`,
  )

const whenCard = ({ rule, ticked }: ShownErrorRule, projects: readonly Named[], form: FormState): Html =>
  card(
    { id: 'when', title: 'When' },
    html`<div class="fields">
      ${choicesField(form, {
        name: 'events',
        label: 'Events',
        choices: Object.entries(eventNames).map(([value, label]) => ({ value, label })),
        ticked: new Set(rule.events),
      })}
      ${scopeFields(form, {
        kind: 'project',
        label: 'Projects',
        ids: rule.projectIds,
        ticked: ticked.projectIds,
        choices: namedChoices(projects),
      })}
    </div>`,
  )

/** @param id of a stored rule */
export const errorRuleForm = (
  id: string | null,
  shown: ShownErrorRule,
  { projects, channels }: Nameable,
  form: FormState,
): Html => html`
  ${problemSummary(form, fieldNames)}
  <form
    class="check-form error-rule"
    method="post"
    action="${rulesPath}${id === null ? '' : `/${id}`}"
    novalidate
  >
    <div class="form-main">
      <div class="card fields">
        ${textField(form, { name: 'name', label: 'Name', fallback: shown.rule.name, isRequired: true })}
        ${checkField(form, { name: 'enabled', label: 'Enabled', fallback: shown.rule.enabled })}
      </div>
      ${whenCard(shown, projects, form)}
      ${receiversCard(form, shown.rule, { ticked: shown.ticked.channelIds, channels })}
      ${spikeFields(shown.rule, form)}
    </div>
    <div class="form-bar">
      <button class="primary" type="submit">${id === null ? 'Create rule' : 'Save rule'}</button>
      <a class="button" href="${rulesPath}">Cancel</a>
    </div>
  </form>
`
