import { levelsMax, type EscalationPolicy } from '@probe-mesh/contracts/on-call/escalation-policy'
import { card } from '../../html/components/card.ts'
import { choicesField } from '../../html/components/choices-field.ts'
import { problemSummary, textField, type FormState, type Typed } from '../../html/components/form.ts'
import { html, type Html } from '@probe-mesh/runtime/html'
import { namedChoices, type Named } from '../rules/receivers-card.ts'

/** What a level can name. */
export type Targets = Record<(typeof kinds)[number], readonly Named[]>
const kinds = ['userIds', 'scheduleIds', 'channelIds'] as const
const labels = { userIds: 'Members', scheduleIds: 'On call in', channelIds: 'Channels' } as const

/** A policy as its form has it. */
export type TypedPolicy = { fields: Typed; ticked: readonly Record<(typeof kinds)[number], string[]>[] }

export const typedPolicy = (policy: EscalationPolicy | null): TypedPolicy => {
  if (policy === null) return { fields: { 'levels[0].afterMinutes': '0' }, ticked: [] }
  return {
    fields: Object.fromEntries([
      ['name', policy.name],
      ['repeats', String(policy.repeats)],
      ['repeatAfterMinutes', String(policy.repeatAfterMinutes)],
      ...policy.levels.map(({ afterMinutes }, index) => [
        `levels[${index}].afterMinutes`,
        String(afterMinutes),
      ]),
    ]),
    ticked: policy.levels,
  }
}

export const submittedPolicy = (form: URLSearchParams): TypedPolicy => ({
  fields: Object.fromEntries(form),
  ticked: Array.from({ length: levelsMax }, (_, index) => {
    const of = (kind: string): string[] => form.getAll(`levels[${index}].${kind}`)
    return { userIds: of('userIds'), scheduleIds: of('scheduleIds'), channelIds: of('channelIds') }
  }),
})

const countOf = ({ ticked }: TypedPolicy, index: number): number =>
  kinds.reduce((sum, kind) => sum + (ticked[index]?.[kind].length ?? 0), 0)

/** The levels that are filled in: those with a time or with somebody. */
const levelsOf = (typed: TypedPolicy): number[] =>
  Array.from({ length: levelsMax }, (_, index) => index).filter(
    (index) =>
      (typed.fields[`levels[${index}].afterMinutes`]?.trim() ?? '') !== '' || countOf(typed, index) > 0,
  )

const numberIn = (text: string | undefined): number =>
  text === undefined || text.trim() === '' ? Number.NaN : Number(text)

/** The API's input; wrong numbers are refused by the API, beside their field. Empty levels are left out. */
export const policyBody = (typed: TypedPolicy): unknown => ({
  name: typed.fields['name'] ?? '',
  levels: levelsOf(typed).map((index) => ({
    afterMinutes: numberIn(typed.fields[`levels[${index}].afterMinutes`]),
    ...(typed.ticked[index] ?? { userIds: [], scheduleIds: [], channelIds: [] }),
  })),
  repeats: numberIn(typed.fields['repeats']),
  repeatAfterMinutes: numberIn(typed.fields['repeatAfterMinutes']),
})

export const policyForm = (
  to: { id: string | null },
  typed: TypedPolicy,
  targets: Targets,
  problems: Pick<FormState, 'message' | 'problems'>,
): Html => {
  const form: FormState = { ...problems, typed: typed.fields }
  const levels = Math.min(levelsMax, levelsOf(typed).length + 1)
  const names = [
    'name',
    ...Array.from({ length: levels }, (_, at) =>
      ['afterMinutes', ...kinds].map((name) => `levels[${at}].${name}`),
    ).flat(),
    'repeats',
    'repeatAfterMinutes',
  ]
  return html`${problemSummary(form, names)}
    <form method="post" action="/dashboard/on-call/policies${to.id === null ? '' : `/${to.id}`}">
      ${card(
        { id: 'policy', title: 'Escalation policy' },
        html`<div class="fields">
          ${textField(form, { name: 'name', label: 'Name', isRequired: true })}
          ${textField(form, {
            name: 'repeats',
            label: 'Repeats',
            hint: '0 to 9. How often all levels are notified again.',
            inputMode: 'numeric',
            fallback: '0',
          })}
          ${textField(form, {
            name: 'repeatAfterMinutes',
            label: 'Minutes before a repeat',
            hint: 'From the last level to the first of the repeat.',
            inputMode: 'numeric',
            fallback: '30',
          })}
        </div>`,
      )}
      ${Array.from({ length: levels }, (_, index) =>
        card(
          {
            id: `level-${index}`,
            title: `Level ${index + 1}`,
            about:
              index === 0
                ? 'Notified at once.'
                : 'Notified while the alert is neither acknowledged nor snoozed, and the check still fails.',
          },
          html`<div class="fields">
            ${textField(form, {
              name: `levels[${index}].afterMinutes`,
              label: 'Minutes after the alert',
              inputMode: 'numeric',
            })}
            ${kinds.map((kind) =>
              choicesField(form, {
                name: `levels[${index}].${kind}`,
                label: labels[kind],
                choices: namedChoices(targets[kind]),
                ticked: new Set(typed.ticked[index]?.[kind]),
              }),
            )}
          </div>`,
        ),
      )}
      <p class="muted">A level without minutes and receivers is left out. Save to add another one.</p>
      <p class="actions">
        <button class="primary" type="submit">${to.id === null ? 'Create policy' : 'Save policy'}</button>
        <a href="/dashboard/on-call">Cancel</a>
      </p>
    </form>`
}
