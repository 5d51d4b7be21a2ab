import type { Assertions } from '@probe-mesh/contracts/check/assertions'
import type { Check } from '@probe-mesh/contracts/check/check'
import type { CreateCheckInput } from '@probe-mesh/contracts/check/create-check-input'
import type { Region } from '@probe-mesh/contracts/reading/regions'
import type { RegionChoice } from './region-choice.ts'

/** A field as a plan shows it; null: unset. */
export type FieldValue = string | number | boolean | null | RegionChoice

/** What changes of a check. Of a replace also what its new check cannot have: `paused`, `private`. */
export type FieldChange = {
  field:
    | 'url'
    | 'intervalSeconds'
    | 'regions'
    | keyof Assertions
    | 'paused'
    | 'private'
    | 'timeoutSeconds'
  old: FieldValue
  new: FieldValue
}

/** One thing to do, with what the API is sent for it. */
export type Step =
  | { kind: 'delete'; check: Check }
  | { kind: 'replace'; check: Check; changes: FieldChange[]; input: CreateCheckInput }
  | { kind: 'create'; input: CreateCheckInput }
  | {
      kind: 'update'
      check: Check
      changes: FieldChange[]
      /** null: these stay as they are */
      regions: readonly Region[] | null
      assertions: Assertions | null
    }
export type StepKind = Step['kind']

/** "Apply order: deletes, then replaces, then creates, then updates" (specification, Plan rules). */
export const applyOrder = ['delete', 'replace', 'create', 'update'] as const

export type Plan = {
  /** In `applyOrder`; within a kind as the account lists them, or as the file does. */
  steps: readonly Step[]
  unchanged: readonly Check[]
  /** http checks that the file lacks, which stay. */
  absent: readonly Check[]
  /** Every check of the account as it was when this was planned. */
  account: readonly Check[]
}

/** Why nothing can be planned for one name of the file. */
export type PlanProblem = { name: string; message: string }

export type PlanSummary = Record<StepKind | 'unchanged', number>

export const nameOf = (step: Step): string =>
  step.kind === 'create' ? step.input.name : step.check.name

/** How many checks the plan does what to. */
export const summarize = ({ steps, unchanged }: Plan): PlanSummary => {
  const summary = { create: 0, update: 0, replace: 0, delete: 0, unchanged: unchanged.length }
  for (const { kind } of steps) summary[kind] += 1
  return summary
}
