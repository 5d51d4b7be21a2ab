import type { Assertions } from '@probe-mesh/contracts/check/assertions'
import type { Check } from '@probe-mesh/contracts/check/check'
import type { CreateCheckInput, ReplaceCheckInput } from '@probe-mesh/contracts/check/create-check-input'
import type { Region } from '@probe-mesh/contracts/reading/regions'
import type { RegionChoice } from './region-choice.ts'

/** A field value in a plan; null: unset. */
export type FieldValue = string | number | boolean | null | RegionChoice

/**
 * A changed field. For a replace also settings that the new check cannot have: `private`, `timeoutSeconds`.
 */
export type FieldChange = {
  field: 'url' | 'intervalSeconds' | 'regions' | keyof Assertions | 'private' | 'timeoutSeconds'
  old: FieldValue
  new: FieldValue
}

/** One step, with what is sent to the API. */
export type Step =
  | { kind: 'delete'; check: Check }
  | { kind: 'replace'; check: Check; changes: FieldChange[]; input: ReplaceCheckInput }
  | { kind: 'create'; input: CreateCheckInput }
  | {
      kind: 'update'
      check: Check
      changes: FieldChange[]
      /** null: unchanged */
      regions: readonly Region[] | null
      assertions: Assertions | null
    }
export type StepKind = Step['kind']

/** Deletes, then replaces, then creates, then updates. */
export const applyOrder = ['delete', 'replace', 'create', 'update'] as const

export type Plan = {
  /** In `applyOrder`; within a kind in the order of the account or the file. */
  steps: readonly Step[]
  unchanged: readonly Check[]
  /** http checks that are not in the file and stay. */
  absent: readonly Check[]
  /** By the name of a check to create: one with its URL that the file does not name, so probably its old name. */
  renames: ReadonlyMap<string, Check>
  /** Every check of the account when the plan was computed. */
  account: readonly Check[]
}

/** Why a name of the file cannot be planned. */
export type PlanProblem = { name: string; message: string }

export type PlanSummary = Record<StepKind | 'unchanged', number>

export const nameOf = (step: Step): string => (step.kind === 'create' ? step.input.name : step.check.name)

/** The number of checks for each kind of step. */
export const summarize = ({ steps, unchanged }: Plan): PlanSummary => {
  const summary = { create: 0, update: 0, replace: 0, delete: 0, unchanged: unchanged.length }
  for (const { kind } of steps) summary[kind] += 1
  return summary
}
