import type { Problem } from '@probe-mesh/contracts/refusal'
import type { AccountChange } from '../plan/account-changes.ts'
import { planToJson, stepLine } from '../plan/format-plan.ts'
import type { PlanJson, StepJson } from '../plan/format-plan.ts'
import type { Plan } from '../plan/plan.ts'
import { problemLines, showLine, showName } from '../plan/show-value.ts'
import type { Outcome, StepOutcome, Stop } from './outcome.ts'

/**
 * What a run did, as text: the count of steps, why it stopped with "the API's message and code as
 * returned" (specification, Errors), and each step that was not carried out.
 */
export const formatOutcome = ({ steps, stop }: Outcome): string => {
  const done = steps.filter(({ result }) => result === 'done')
  if (stop === null) return `Applied: ${countSteps(done.length)}.`
  return [
    `Stopped: ${done.length} of ${countSteps(steps.length)} applied.`,
    '',
    ...stopLines(stop),
    '',
    ...steps.filter(({ result }) => result !== 'done').flatMap(stepLines),
  ].join('\n')
}

const countSteps = (count: number): string => `${count} ${count === 1 ? 'step' : 'steps'}`

const stopLines = (stop: Stop): string[] => {
  switch (stop.kind) {
    case 'changed':
      return [
        'The account changed since it was planned for; nothing was sent. Plan again.',
        ...stop.changes.map(({ name, message }) => `  ${showName(name)} ${message}`),
      ]
    case 'refused':
      return problemLines(stop.problem)
    case 'unanswered':
      return [
        `There was no answer: ${showLine(messageOf(stop.error))}`,
        'Apply again: the plan is made from what is on the account then.',
      ]
    case 'interrupted':
      return ['Interrupted: what follows was not sent. Apply again to go on.']
    default:
      return stop satisfies never
  }
}

const stepLines = (outcome: StepOutcome): string[] => [
  `${stepLine(outcome.step)}: ${outcome.result}`,
  ...halfDone(outcome).map((line) => `    ${line}`),
]

/** What is left of a step whose calls were not all carried out. */
const halfDone = ({ step, result, carriedOut }: StepOutcome): string[] => {
  if (result === 'done' || result === 'skipped') return []
  const isLost = result === 'unanswered'
  if (step.kind === 'replace' && carriedOut > 0) {
    return [
      `The old check and its history are deleted, and ${fates[result]}.`,
      `To get it back: ${result === 'refused' ? 'correct what was refused, then apply' : 'apply'} again; what is missing on the account is created from the file.`,
    ]
  }
  if (step.kind === 'update' && carriedOut > 0) {
    return [`The regions are changed; the assertions ${isLost ? 'may not be' : 'are not'}.`]
  }
  return isLost ? ['Whether this was carried out is not known.'] : []
}

/** fetch says only that it failed; its cause says why. */
const messageOf = (error: unknown): string => {
  if (!(error instanceof Error)) return String(error)
  const cause = error.cause instanceof Error ? error.cause.message : ''
  return cause === '' ? error.message : `${error.message} (${cause})`
}

/** What became of the new check of a replace whose old one is deleted. */
const fates = {
  unanswered: 'whether the new one was created is not known',
  refused: 'the new one was refused',
  interrupted: 'the new one was not created',
} as const

/** The plan's JSON with what became of each step, and why the run stopped. */
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

/** What `apply --json` prints after a run. */
export const outcomeToJson = (plan: Plan, { steps, stop }: Outcome): OutcomeJson => {
  const planned = planToJson(plan)
  return {
    ...planned,
    steps: planned.steps.flatMap((step, index) => {
      const outcome = steps[index]
      if (outcome === undefined) return []
      return { ...step, result: outcome.result, remarks: halfDone(outcome) }
    }),
    stop: stopToJson(stop),
  }
}

const stopToJson = (stop: Stop | null): OutcomeJson['stop'] =>
  stop?.kind === 'unanswered' ? { kind: stop.kind, message: messageOf(stop.error) } : stop
