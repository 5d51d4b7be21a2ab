import { limits } from '@probe-mesh/contracts/schema/limits'
import { StepMethod } from '@probe-mesh/contracts/reading/reading-details'
import type { Typed } from '../../html/components/form.ts'
import { stepAssertionFields } from './assertion-fields.ts'
import { textsOf, valuesOf } from './field.ts'
import type { Field, Values } from './field.ts'

/** What is typed into one step, by the names of `stepFields`. */
export type StepTexts = Typed

export const stepRequestFields: readonly Field[] = [
  {
    name: 'name',
    label: 'Name',
    kind: 'text',
    isRequired: true,
    hint: 'Stands in the reason where the step fails.',
  },
  {
    name: 'method',
    label: 'Method',
    kind: 'choice',
    choices: StepMethod.options.map((value) => ({ value, label: value })),
  },
  { name: 'url', label: 'URL', kind: 'text', isRequired: true },
  { name: 'body', label: 'Body', kind: 'text', rows: 3 },
  { name: 'contentType', label: 'Content type', kind: 'text', hint: 'Such as application/json.' },
]

/** All that a step holds, named as the API names it within the step. */
export const stepFields: readonly Field[] = [...stepRequestFields, ...stepAssertionFields]

export const newStep: StepTexts = { method: 'GET' }

/** The name in the form, which is the API's path: `steps[2].assertions.jsonPath`. */
export const stepFieldName = (index: number, name: string): string => `steps[${index}].${name}`

const namePattern = /^steps\[(\d{1,4})\]\.(.+)$/

/** The steps that a form holds, in its order; an index that nothing was typed for is no step. Pure. */
export const stepsIn = (typed: Typed): StepTexts[] => {
  const steps = new Map<number, Record<string, string | undefined>>()
  for (const [path, text] of Object.entries(typed)) {
    const [, index, name] = namePattern.exec(path) ?? []
    if (index === undefined || name === undefined) continue
    const step = steps.get(Number(index)) ?? {}
    step[name] = text
    steps.set(Number(index), step)
  }
  return [...steps].toSorted(([a], [b]) => a - b).map(([, step]) => step)
}

/** The steps as the form's fields, numbered from 0. Pure. */
export const typedSteps = (steps: readonly StepTexts[]): Typed =>
  Object.fromEntries(
    steps.flatMap((step, index) =>
      Object.entries(step).map(([name, text]) => [stepFieldName(index, name), text]),
    ),
  )

/** As the API takes them; it says what is wrong with them. Pure. */
export const stepInputs = (steps: readonly StepTexts[]): Values[] =>
  steps.map((step) => valuesOf(stepFields, step))

/** Of stored steps, what stands in the fields. Pure. */
export const stepTexts = (steps: readonly unknown[]): StepTexts[] =>
  steps.map((step) => textsOf(stepFields, step))

/** What a button of the editor does: `add`, or `remove-2`, `up-2`, `down-2` with a step's index. */
export type StepAct = { kind: 'add' } | { kind: 'remove' | 'up' | 'down'; index: number }

/** null for a button that is no act of the editor, such as the one that saves. Pure. */
export const parseStepAct = (text: string | null): StepAct | null => {
  if (text === 'add') return { kind: 'add' }
  const [, kind, index] = /^(remove|up|down)-(\d{1,4})$/.exec(text ?? '') ?? []
  return kind === 'remove' || kind === 'up' || kind === 'down' ? { kind, index: Number(index) } : null
}

/** What cannot be done changes nothing: an eleventh step, or the first one moved up. Pure. */
export const applyStepAct = (steps: readonly StepTexts[], act: StepAct): StepTexts[] => {
  if (act.kind === 'add') return steps.length < limits.stepsMax ? [...steps, newStep] : [...steps]
  const { index } = act
  if (act.kind === 'remove') return steps.filter((_, at) => at !== index)
  return swapped(steps, act.kind === 'up' ? index - 1 : index)
}

const swapped = (steps: readonly StepTexts[], index: number): StepTexts[] => {
  const [first, second] = [steps[index], steps[index + 1]]
  if (first === undefined || second === undefined) return [...steps]
  return steps.with(index, second).with(index + 1, first)
}
