import type { Problem } from '@probe-mesh/contracts/schema/refusal'
import type { AccountChange } from '../plan/account-changes.ts'
import type { Step } from '../plan/plan.ts'

/**
 * The result of one step. `unanswered`: it is unknown whether its last call was applied.
 * `interrupted`: the rest of its calls was not sent.
 */
export type StepOutcome = {
  step: Step
  result: 'done' | 'refused' | 'unanswered' | 'interrupted' | 'skipped'
  /** Calls of the step that were certainly applied (`writesOf`). */
  completedCalls: number
}

/** Why a run ended before its last step. */
export type Stop =
  /** The account differs from the account of the plan; nothing was sent. */
  | { kind: 'changed'; changes: readonly AccountChange[] }
  /** The API refused a step or, if no step is `refused`, the listing before it. */
  | { kind: 'refused'; problem: Problem }
  /** No readable answer, from the network or from a server in between. */
  | { kind: 'unanswered'; error: unknown }
  /** The user interrupted the run. */
  | { kind: 'interrupted' }

/** The result of a run: an outcome for every step of the plan, in order. */
export type Outcome = { steps: readonly StepOutcome[]; stop: Stop | null }
