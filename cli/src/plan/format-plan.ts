import { assertionNames } from '@probe-mesh/contracts/check/assertions'
import type { CreateCheckInput } from '@probe-mesh/contracts/check/create-check-input'
import { nameOf, summarize } from './plan.ts'
import type { FieldValue, Plan, PlanProblem, Step, StepKind } from './plan.ts'
import { everyLiveRegion } from './region-choice.ts'
import { showChange, showName, showValue } from './show-value.ts'

/** "Plan line prefixes" (specification, Plan rules). */
export const prefixes = {
  create: '+',
  update: '~',
  replace: '!',
  delete: '-',
  unchanged: '=',
  note: '?',
} as const satisfies Record<StepKind | 'unchanged' | 'note', string>

/**
 * The plan as text, without a line end after its last line: the summary, a line for each check in the
 * order of applying, below it what changes; at last the checks that stay. Nothing in it needs colour,
 * and no text of a check reaches the terminal as anything but text.
 */
export const formatPlan = (plan: Plan): string =>
  [
    summaryLine(plan),
    ...(plan.steps.length > 0 ? [''] : []),
    ...plan.steps.flatMap(stepLines),
    ...(plan.unchanged.length + plan.absent.length > 0 ? [''] : []),
    ...plan.unchanged.map(({ name }) => `${prefixes.unchanged} ${showName(name)}`),
    ...plan.absent.map(({ name }) => `${prefixes.note} ${showName(name)}: ${absentNote}`),
    ...(plan.steps.length === 0 ? ['', nothingToApply] : []),
  ].join('\n')

export const nothingToApply = 'Nothing to apply.'
export const absentNote = 'on the account, not in the file; --prune --yes deletes it'

/** Why there is no plan, as text: a line for each reason. */
export const formatPlanProblems = (problems: readonly PlanProblem[]): string =>
  [
    'This file cannot be applied to the account:',
    ...problems.map(({ name, message }) => `  ${showName(name)}: ${message}`),
  ].join('\n')

/** A step as one line, such as `+ web`. */
export const stepLine = (step: Step): string => `${prefixes[step.kind]} ${showName(nameOf(step))}`

const summaryLine = (plan: Plan): string => {
  const count = summarize(plan)
  return `Plan: ${count.create} to create, ${count.update} to update, ${count.replace} to replace, ${count.delete} to delete, ${count.unchanged} unchanged.`
}

const stepLines = (step: Step): string[] => [stepLine(step), ...detailsOf(step).map(indent)]

const indent = (line: string): string => `    ${line}`

const detailsOf = (step: Step): string[] => {
  switch (step.kind) {
    case 'delete':
      return [`url: ${showValue('url', step.check.url)}`, 'its history is lost']
    case 'create':
      return fieldsOf(step.input)
    case 'replace':
      return [...changeLines(step), 'deleted and created anew: its history and its id are lost']
    case 'update':
      return changeLines(step)
    default:
      return step satisfies never
  }
}

const changeLines = ({ changes }: Extract<Step, { changes: unknown }>): string[] =>
  changes.map((change) => `${change.field}: ${showChange(change)}`)

/** What a new check is given. */
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
