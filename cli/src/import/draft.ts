import type { FileCheck } from '../file/checks-file.ts'

/** What is said of one field of a monitor. */
export type Remark = { field: string; message: string }

/**
 * A check while it is made of a monitor. With a reason to skip it there will be none: a check
 * that measures something else than the monitor did is worse than no check.
 */
export type Draft = {
  /** As the source has it: blank, long or taken twice. */
  name: string
  /** The monitor's place in the source, such as `monitorList[3]`. */
  at: string
  url: string
  fields: Omit<FileCheck, 'name' | 'url'>
  notes: Remark[]
  /** Notes that most monitors share: they are told once, with how many share them. */
  shared: Remark[]
  reasons: Remark[]
}

export const draftOf = (monitor: { name: string; at: string; url: string }): Draft => ({
  ...monitor,
  fields: {},
  notes: [],
  shared: [],
  reasons: [],
})

/** The check is made without that, or differs in that. */
export const note = (draft: Draft, field: string, message: string): void => {
  draft.notes.push({ field, message })
}

/** A note that most monitors of the source share. */
export const share = (draft: Draft, field: string, message: string): void => {
  draft.shared.push({ field, message })
}

/** There is no check that measures the same. */
export const skip = (draft: Draft, field: string, message: string): void => {
  draft.reasons.push({ field, message })
}

/** What to do with a monitor of a type that a file cannot declare. */
export const inDashboard = (type: string): string =>
  `a file has http checks only: create it in the dashboard as a ${type} check`
