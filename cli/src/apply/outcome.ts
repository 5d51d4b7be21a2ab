import type { Problem } from '@probe-mesh/contracts/schema/refusal'
import type { AccountChange } from '../plan/account-changes.ts'
import type { Step } from '../plan/plan.ts'

/**
 * What became of one step. `unanswered`: whether its last call was carried out is not known.
 * `interrupted`: the rest of its calls was not sent.
 */
export type StepOutcome = {
  step: Step
  result: 'done' | 'refused' | 'unanswered' | 'interrupted' | 'skipped'
  /** How many of the step's calls were carried out for certain (`writesOf`). */
  carriedOut: number
}

/** Why a run ended before its last step. */
export type Stop =
  /** The account is no longer what the plan was made from; nothing was sent. */
  | { kind: 'changed'; changes: readonly AccountChange[] }
  /** The API said no, to a step or, where no step is `refused`, to the listing before it. */
  | { kind: 'refused'; problem: Problem }
  /** No answer that can be understood, from the network or from something in between. */
  | { kind: 'unanswered'; error: unknown }
  /** Somebody asked the run to end. */
  | { kind: 'interrupted' }

/** What a run did: an outcome for every step of the plan, in its order. */
export type Outcome = { steps: readonly StepOutcome[]; stop: Stop | null }
