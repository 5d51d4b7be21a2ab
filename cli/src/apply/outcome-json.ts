import type { Problem } from '@probe-mesh/contracts/schema/refusal'
import type { AccountChange } from '../plan/account-changes.ts'
import { planToJson } from '../plan/plan-json.ts'
import type { PlanJson, StepJson } from '../plan/plan-json.ts'
import type { Plan } from '../plan/plan.ts'
import { halfDone, messageOf } from './format-outcome.ts'
import type { Outcome, StepOutcome, Stop } from './outcome.ts'

/** The plan's JSON with what became of each step, and why the run stopped. */
export type OutcomeJson = Omit<PlanJson, 'steps'> & {
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
