import type { Problem } from '@probe-mesh/contracts/schema/refusal'
import type { AccountChange } from '../plan/account-changes.ts'
import { planToJson, stepLine, type PlanJson, type StepJson } from '../plan/format-plan.ts'
import type { Plan } from '../plan/plan.ts'
import { count, problemLines, showLine, showName } from '../plan/show-value.ts'
import type { Outcome, StepOutcome, Stop } from './outcome.ts'

/**
 * The result of a run as text: the number of steps, why it stopped with the API's message and code
 * as returned, and each step that was not completed.
 */
export const formatOutcome = ({ steps, stop }: Outcome): string => {
  const done = steps.filter(({ result }) => result === 'done')
  if (stop === null) return `Applied: ${count(done.length, 'step')}.`
  return [
    `Stopped: ${done.length} of ${count(steps.length, 'step')} applied.`,
    '',
    ...stopLines(stop),
    '',
    ...steps.filter(({ result }) => result !== 'done').flatMap(stepLines),
  ].join('\n')
}

const stopLines = (stop: Stop): string[] => {
  switch (stop.kind) {
    case 'changed':
      return [
        'The account changed after it was read; nothing was sent. Run the command again.',
        ...stop.changes.map(({ name, message }) => `  ${showName(name)} ${message}`),
      ]
    case 'refused':
      return problemLines(stop.problem)
    case 'unanswered':
      return [
        `No answer: ${showLine(messageOf(stop.error))}`,
        'Apply again: the changes are computed from the account as it is then.',
      ]
    case 'interrupted':
      return ['Interrupted: the steps below were not completed. Apply again to continue.']
    default:
      return stop satisfies never
  }
}

const stepLines = (outcome: StepOutcome): string[] => [
  `${stepLine(outcome.step)}: ${outcome.result}`,
  ...partialResult(outcome).map((line) => `    ${line}`),
]

/** What a partly completed step left behind. */
const partialResult = ({ step, result, completedCalls }: StepOutcome): string[] => {
  if (result === 'done' || result === 'skipped') return []
  const isLost = result === 'unanswered'
  if (step.kind === 'update' && completedCalls > 0) {
    return [`The regions are changed; the assertions ${isLost ? 'may not be' : 'are not'}.`]
  }
  if (!isLost) return []
  const both = step.kind === 'replace' ? ' The account has either the old check or the new one.' : ''
  return [`It is unknown whether this step was applied.${both}`]
}

/** The error of `fetch` says only that it failed; its cause says why. */
const messageOf = (error: unknown): string => {
  if (!(error instanceof Error)) return String(error)
  const cause = error.cause instanceof Error ? error.cause.message : ''
  return cause === '' ? error.message : `${error.message} (${cause})`
}

/** The JSON of the plan with the result of each step, and why the run stopped. */
type OutcomeJson = Omit<PlanJson, 'steps'> & {
  steps: (StepJson & { result: StepOutcome['result']; remarks: string[] })[]
  stop:
    | { kind: 'changed'; changes: readonly AccountChange[] }
    /** As the API returned it. */
    | { kind: 'refused'; problem: Problem }
    | { kind: 'unanswered'; message: string }
    | { kind: 'interrupted' }
    | null
}

/** The output of `apply --json` after a run. */
export const outcomeToJson = (plan: Plan, { steps, stop }: Outcome): OutcomeJson => {
  const planned = planToJson(plan)
  return {
    ...planned,
    steps: planned.steps.flatMap((step, index) => {
      const outcome = steps[index]
      if (outcome === undefined) return []
      return { ...step, result: outcome.result, remarks: partialResult(outcome) }
    }),
    stop: stopToJson(stop),
  }
}

const stopToJson = (stop: Stop | null): OutcomeJson['stop'] =>
  stop?.kind === 'unanswered' ? { kind: stop.kind, message: messageOf(stop.error) } : stop
