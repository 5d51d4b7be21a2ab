import type { Case } from './cases/case.ts'

/** The status that each took as the answer; null where it took none. */
export type Taken = { chromium: number | null; curl: number | null; ours: number | null }

export type Standing =
  /** Chromium and curl take the same status. */
  | 'answer'
  /** Neither takes an answer. */
  | 'refusal'
  /** They differ: what we say is told, and neither right nor wrong. */
  | 'divided'

export const standingOf = ({ chromium, curl }: Omit<Taken, 'ours'>): Standing => {
  if (chromium === null && curl === null) return 'refusal'
  return chromium === curl ? 'answer' : 'divided'
}

/** Whether we say of a case what Chromium and curl agree on. */
export const isOffDiagonal = (taken: Taken, { exception }: Pick<Case, 'exception'>): boolean => {
  if (standingOf(taken) === 'divided') return false
  return (taken.ours === taken.chromium) === (exception !== undefined)
}
