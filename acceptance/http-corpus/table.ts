import type { Case } from './cases/case.ts'
import { standingOf, type Statuses } from './judge.ts'

/** A case with its results and notes. */
export type Measured = Omit<Case, 'answer'> & { statuses: Statuses; note: string }
export type MeasuredClass = { name: string; cases: readonly Measured[] }

/** The counts of the results. */
export const figuresOf = (classes: readonly MeasuredClass[]) => {
  const cases = classes.flatMap((each) => each.cases)
  const standing = (which: string) => cases.filter(({ statuses }) => standingOf(statuses) === which).length
  return {
    classes: classes.length,
    cases: cases.length,
    answers: standing('answer'),
    refusals: standing('refusal'),
    divided: standing('divided'),
    published: cases.filter(({ source }) => source !== undefined).length,
    exceptions: cases.filter(({ exception }) => exception !== undefined).length,
  }
}
