import type { Case } from './cases/case.ts'

/** The status that each accepted as the answer; null: no answer. */
export type Statuses = { chromium: number | null; curl: number | null; ours: number | null }

export type Standing =
  /** Chromium and curl accept the same status. */
  | 'answer'
  /** Neither accepts an answer. */
  | 'refusal'
  /** They differ: our result is recorded, neither right nor wrong. */
  | 'divided'

export const standingOf = ({ chromium, curl }: Omit<Statuses, 'ours'>): Standing => {
  if (chromium === null && curl === null) return 'refusal'
  return chromium === curl ? 'answer' : 'divided'
}

/** Whether our result of a case differs from one that Chromium and curl agree on. */
export const isOffDiagonal = (statuses: Statuses, { exception }: Pick<Case, 'exception'>): boolean => {
  if (standingOf(statuses) === 'divided') return false
  return (statuses.ours === statuses.chromium) === (exception !== undefined)
}
