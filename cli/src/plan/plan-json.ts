import type { CreateCheckInput } from '@probe-mesh/contracts/check/create-check-input'
import { absentNote } from './format-plan.ts'
import { nameOf, summarize } from './plan.ts'
import type { FieldChange, Plan, PlanProblem, PlanSummary, Step, StepKind } from './plan.ts'

/** Raised when a field changes its meaning or goes; a new field leaves it as it is. */
export const planJsonVersion = 1

/** A step as JSON: `id` is null of a create, `check` is what a create or a replace sends. */
export type StepJson = {
  action: StepKind
  name: string
  id: string | null
  changes: FieldChange[]
  check: CreateCheckInput | null
}

export type PlanJson = {
  version: typeof planJsonVersion
  summary: PlanSummary
  steps: StepJson[]
  unchanged: { name: string; id: string }[]
  notes: { name: string; id: string; message: string }[]
}

/** The plan as `--dry-run --json` prints it, its steps in the order of applying. */
export const planToJson = (plan: Plan): PlanJson => ({
  version: planJsonVersion,
  summary: summarize(plan),
  steps: plan.steps.map(stepToJson),
  unchanged: plan.unchanged.map(({ name, id }) => ({ name, id })),
  notes: plan.absent.map(({ name, id }) => ({ name, id, message: absentNote })),
})

/** Why there is no plan, in the place of one. */
export const planProblemsToJson = (
  problems: readonly PlanProblem[],
): { version: typeof planJsonVersion; problems: PlanProblem[] } => ({
  version: planJsonVersion,
  problems: [...problems],
})

export const stepToJson = (step: Step): StepJson => ({
  action: step.kind,
  name: nameOf(step),
  id: step.kind === 'create' ? null : step.check.id,
  changes: 'changes' in step ? step.changes : [],
  check: 'input' in step ? step.input : null,
})
