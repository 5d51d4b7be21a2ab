import { spikeDefault, spikeSpansMinutes } from '@probe-mesh/contracts/error-tracking/error-rule'
import type { CreateErrorRuleInput, ErrorRuleEvent } from '@probe-mesh/contracts/error-tracking/error-rule'
import type { FieldProblem } from '@probe-mesh/contracts/schema/refusal'
import { choicesField } from '../../html/components/choices-field.ts'
import { checkField, problemSummary, radioField, selectField, textField } from '../../html/components/form.ts'
import type { Choice, FormState } from '../../html/components/form.ts'
import { html } from '@probe-mesh/runtime/html'
import type { Html } from '@probe-mesh/runtime/html'

/** What is said of each thing that a rule may tell of. */
export const eventNames: Readonly<Record<ErrorRuleEvent, string>> = {
  new_issue: 'a new issue: nothing like it was seen before',
  regression: 'an issue that came back after it was resolved',
  spike: 'more events than usual, as counted below',
}

export type Named = { id: string; name: string }
export type Nameable = { projects: readonly Named[]; channels: readonly Named[] }

/** A rule as its form shows it: boxes stay ticked also where all were chosen instead of them. */
export type ShownErrorRule = {
  rule: CreateErrorRuleInput
  ticked: { projectIds: readonly string[]; channelIds: readonly string[] }
}

/** A rule before anything was typed. */
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

/** A rule as its form has it; what is wrong in it is refused by the API, beside its field. */
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

/** All and some at once: whatever were saved, somebody would take it for the other. */
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
            message: `all ${name} are chosen, and some are ticked as well: untick them, or choose those that are ticked`,
          },
        ]
      : [],
  )

const choicesOf = (all: readonly Named[]): Choice[] =>
  all.map(({ id, name }) => ({ value: id, label: name })).toSorted((a, b) => (a.label < b.label ? -1 : 1))

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

const spikeFields = ({ spike }: CreateErrorRuleInput, form: FormState): Html => html`
  <fieldset>
    <legend>More events than usual</legend>
    <p class="hint">
      Counts only where it is ticked above. Usual is the average over the day before the span, or over the
      part of it since the project or the issue is known; while that is shorter than one span, the least
      number alone decides. It is told once, and again after it was over for one whole span.
    </p>
    <div class="fields">
      ${radioField(form, {
        name: 'spike.of',
        label: 'Whose events are counted',
        fallback: spike.of,
        choices: [
          { value: 'project', label: 'All of a project together' },
          { value: 'issue', label: 'Those of each issue by themselves' },
        ],
      })}
      ${selectField(form, {
        name: 'spike.spanMinutes',
        label: 'In a span of',
        fallback: String(spike.spanMinutes),
        choices: spikeSpansMinutes.map((minutes) => ({
          value: String(minutes),
          label: minutes === 60 ? '1 hour' : `${minutes} minutes`,
        })),
      })}
      ${textField(form, {
        name: 'spike.eventsMin',
        label: 'At least so many events',
        hint: 'That arrived in the span: 1 to 1,000,000.',
        fallback: String(spike.eventsMin),
        inputMode: 'numeric',
        isRequired: true,
      })}
      ${textField(form, {
        name: 'spike.factor',
        label: 'And at least so many times as usual',
        hint: '1 to 1,000.',
        fallback: String(spike.factor),
        inputMode: 'decimal',
        isRequired: true,
      })}
    </div>
  </fieldset>
`

export const errorRuleForm = (
  id: string | null,
  { rule, ticked }: ShownErrorRule,
  { projects, channels }: Nameable,
  form: FormState,
): Html => html`
  ${problemSummary(form, fieldNames)}
  <form method="post" action="/dashboard/errors/rules${id === null ? '' : `/${id}`}">
    <div class="fields">
      ${textField(form, { name: 'name', label: 'Name', fallback: rule.name, isRequired: true })}
      ${checkField(form, { name: 'enabled', label: 'The rule is on', fallback: rule.enabled })}
      ${choicesField(form, {
        name: 'events',
        label: 'Tells of',
        choices: Object.entries(eventNames).map(([value, label]) => ({ value, label })),
        ticked: new Set(rule.events),
      })}
      ${spikeFields(rule, form)}
      ${radioField(form, {
        name: 'projects',
        label: 'Of which projects',
        fallback: rule.projectIds === null ? 'all' : 'some',
        choices: [
          { value: 'all', label: 'All, also those that are made later' },
          { value: 'some', label: 'Those that are ticked' },
        ],
      })}
      ${choicesField(form, {
        name: 'projectIds',
        label: 'Projects',
        choices: choicesOf(projects),
        ticked: new Set(ticked.projectIds),
      })}
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
      <button class="primary" type="submit">${id === null ? 'Make the rule' : 'Save the rule'}</button>
      <a href="/dashboard/errors/rules">Back to the rules</a>
    </p>
  </form>
`
