import { limits } from '@probe-mesh/contracts/schema/limits'
import { StepMethod } from '@probe-mesh/contracts/reading/reading-details'
import type { Typed } from '../../html/components/form.ts'
import { stepAssertionFields } from '../check-fields/assertion-fields.ts'
import type { Field } from '../../html/components/field.ts'
import { textsOf, type Values } from '../check-fields/field.ts'
import { requestValuesOf, stepOptionFields } from '../check-fields/request-fields.ts'

/** The fields of one step, by the names of `stepFields`. */
export type StepTexts = Typed

export const stepMainFields: readonly Field[] = [
  { name: 'name', label: 'Name', kind: 'text', isRequired: true, isShort: true },
  {
    name: 'method',
    label: 'Method',
    kind: 'choice',
    isShort: true,
    choices: StepMethod.options.map((value) => ({ value, label: value })),
  },
  { name: 'url', label: 'URL', kind: 'text', isRequired: true, isUrl: true },
]
export const stepBodyFields: readonly Field[] = [
  { name: 'body', label: 'Body', kind: 'text', rows: 3 },
  { name: 'contentType', label: 'Content type', kind: 'text', hint: 'Such as application/json.' },
]

/** All fields of a step, named as the API names them within the step. */
export const stepFields: readonly Field[] = [
  ...stepMainFields,
  ...stepBodyFields,
  ...stepOptionFields,
  ...stepAssertionFields,
]

export const newStep: StepTexts = { method: 'GET' }

/** The name in the form, which is the API's path: `steps[2].assertions.jsonPath`. */
export const stepFieldName = (index: number, name: string): string => `steps[${index}].${name}`

const namePattern = /^steps\[(\d{1,4})\]\.(.+)$/

/** The steps in a form, in order; an index without any text is no step. */
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

/** The steps as the form's fields, numbered from 0. */
export const typedSteps = (steps: readonly StepTexts[]): Typed =>
  Object.fromEntries(
    steps.flatMap((step, index) =>
      Object.entries(step).map(([name, text]) => [stepFieldName(index, name), text]),
    ),
  )

/** The steps as the API accepts them; it lists their problems. */
export const stepInputs = (steps: readonly StepTexts[]): Values[] =>
  steps.map((step) => requestValuesOf(stepFields, step))

/** The fields that show stored steps. */
export const stepTexts = (steps: readonly unknown[]): StepTexts[] =>
  steps.map((step) => textsOf(stepFields, step))

/** An action of the editor: `add`, or `remove-2`, `up-2`, `down-2`, `copy-2` with a step's index. */
export type StepAct = { kind: 'add' } | { kind: 'remove' | 'up' | 'down' | 'copy'; index: number }

/** null for another button, such as Save. */
export const parseStepAct = (text: string | null): StepAct | null => {
  if (text === 'add') return { kind: 'add' }
  const [, kind, index] = /^(remove|up|down|copy)-(\d{1,4})$/.exec(text ?? '') ?? []
  return kind === 'remove' || kind === 'up' || kind === 'down' || kind === 'copy'
    ? { kind, index: Number(index) }
    : null
}

/** An impossible action changes nothing: an eleventh step, or moving the first one up. */
export const applyStepAct = (steps: readonly StepTexts[], act: StepAct): StepTexts[] => {
  if (act.kind === 'add') return steps.length < limits.stepsMax ? [...steps, newStep] : [...steps]
  const { index } = act
  if (act.kind === 'remove') return steps.filter((_, at) => at !== index)
  if (act.kind === 'copy') {
    const step = steps[index]
    return step === undefined || steps.length >= limits.stepsMax
      ? [...steps]
      : steps.toSpliced(index + 1, 0, step)
  }
  return swapped(steps, act.kind === 'up' ? index - 1 : index)
}

const swapped = (steps: readonly StepTexts[], index: number): StepTexts[] => {
  const [first, second] = [steps[index], steps[index + 1]]
  if (first === undefined || second === undefined) return [...steps]
  return steps.with(index, second).with(index + 1, first)
}
