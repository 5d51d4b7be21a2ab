import { assertionNames } from '@probe-mesh/contracts/check/assertions'
import type { Check } from '@probe-mesh/contracts/check/check'
import type { CreateCheckInput, ReplaceCheckInput } from '@probe-mesh/contracts/check/create-check-input'
import {
  nameOf,
  summarize,
  type FieldChange,
  type FieldValue,
  type Plan,
  type PlanProblem,
  type PlanSummary,
  type Step,
  type StepKind,
} from './plan.ts'
import { everyLiveRegion } from './region-choice.ts'
import { showChange, showName, showValue } from './show-value.ts'

/** The prefix of each line of a plan. */
const prefixes = {
  create: '+',
  update: '~',
  replace: '!',
  delete: '-',
  unchanged: '=',
  note: '?',
} as const satisfies Record<StepKind | 'unchanged' | 'note', string>

/**
 * The plan as text, without a final newline: the summary, each check in the order of applying with
 * its changes, then the unchanged checks. Needs no colour, and contains no terminal control
 * characters.
 */
export const formatPlan = (plan: Plan): string =>
  [
    summaryLine(plan),
    ...(plan.steps.length > 0 ? [''] : []),
    ...plan.steps.flatMap((step) => stepLines(step, plan)),
    ...(plan.unchanged.length + plan.absent.length > 0 ? [''] : []),
    ...plan.unchanged.map(({ name }) => `${prefixes.unchanged} ${showName(name)}`),
    ...plan.absent.map(({ name }) => `${prefixes.note} ${showName(name)}: ${absentNote}`),
    ...(plan.steps.length === 0 ? ['', nothingToApply] : []),
  ].join('\n')

const nothingToApply = 'Nothing to apply.'
const renameNote = (former: Check): string =>
  `same URL as ${showName(former.name)} on the account: if this is its new name, rename it in the dashboard to keep its history`
const absentNote = 'on the account, not in the file; --prune --yes deletes it'

/** Why there is no plan, one line for each reason. */
export const formatPlanProblems = (problems: readonly PlanProblem[]): string =>
  [
    'This file cannot be applied to the account:',
    ...problems.map(({ name, message }) => `  ${showName(name)}: ${message}`),
  ].join('\n')

/** A step as one line, such as `+ web`. */
export const stepLine = (step: Step): string => `${prefixes[step.kind]} ${showName(nameOf(step))}`

const summaryLine = (plan: Plan): string => {
  const count = summarize(plan)
  return `Changes: ${count.create} to create, ${count.update} to update, ${count.replace} to replace, ${count.delete} to delete, ${count.unchanged} unchanged.`
}

const stepLines = (step: Step, { renames }: Plan): string[] => {
  const former = renames.get(nameOf(step))
  const note = former === undefined ? [] : [renameNote(former)]
  return [stepLine(step), ...[...detailsOf(step), ...note].map(indent)]
}

const indent = (line: string): string => `    ${line}`

const detailsOf = (step: Step): string[] => {
  switch (step.kind) {
    case 'delete':
      return [`url: ${showValue('url', step.check.url)}`, 'its history is lost']
    case 'create':
      return fieldsOf(step.input)
    case 'replace':
      return [...changeLines(step), 'replaced by a new check: its history and id are lost']
    case 'update':
      return changeLines(step)
    default:
      return step satisfies never
  }
}

const changeLines = ({ changes }: Extract<Step, { changes: unknown }>): string[] =>
  changes.map((change) => `${change.field}: ${showChange(change)}`)

/** The fields of a new check. */
const fieldsOf = (input: CreateCheckInput): string[] => {
  const values: [Parameters<typeof showValue>[0], FieldValue | undefined][] = [
    ['url', input.url],
    ['intervalSeconds', input.intervalSeconds],
    ['regions', input.regions ?? everyLiveRegion],
    ...assertionNames.map((name) => [name, input[name]] as [typeof name, FieldValue | undefined]),
  ]
  return values.flatMap(([field, value]) =>
    value === undefined || value === null ? [] : `${field}: ${showValue(field, value)}`,
  )
}

/** Raised when a field changes its meaning or is removed; a new field does not raise it. */
const planJsonVersion = 1

/** A step as JSON: `id` is null for a create; `check` is what a create or a replace sends. */
export type StepJson = {
  action: StepKind
  name: string
  id: string | null
  changes: FieldChange[]
  check: CreateCheckInput | ReplaceCheckInput | null
}

export type PlanJson = {
  version: typeof planJsonVersion
  summary: PlanSummary
  steps: StepJson[]
  unchanged: { name: string; id: string }[]
  notes: { name: string; id: string; message: string }[]
}

/** The output of `--dry-run --json`, with steps in the order of applying. */
export const planToJson = (plan: Plan): PlanJson => ({
  version: planJsonVersion,
  summary: summarize(plan),
  steps: plan.steps.map(stepToJson),
  unchanged: plan.unchanged.map(({ name, id }) => ({ name, id })),
  notes: [
    ...plan.absent.map(({ name, id }) => ({ name, id, message: absentNote })),
    ...[...plan.renames].map(([name, former]) => ({ name, id: former.id, message: renameNote(former) })),
  ],
})

/** Why there is no plan, in place of the plan. */
export const planProblemsToJson = (
  problems: readonly PlanProblem[],
): { version: typeof planJsonVersion; problems: PlanProblem[] } => ({
  version: planJsonVersion,
  problems: [...problems],
})

const stepToJson = (step: Step): StepJson => ({
  action: step.kind,
  name: nameOf(step),
  id: step.kind === 'create' ? null : step.check.id,
  changes: 'changes' in step ? step.changes : [],
  check: 'input' in step ? step.input : null,
})
