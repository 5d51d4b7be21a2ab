import { readHistory } from '../results.ts'
import { compareHistory } from './changes.ts'
import { printedComparison } from './print-comparison.ts'

export type CompareOptions = {
  names: readonly string[]
  /** A commit or a day; null: the run before. */
  against: string | null
  /** Every figure, not only those that moved. */
  all: boolean
  json: boolean
}

/** Prints how the newest run of each bench stands to an earlier one. @returns whether any figure is worse */
export const compareBenches = async (
  { names, against, all, json }: CompareOptions,
  print: (line: string) => void,
): Promise<boolean> => {
  const found = await Promise.all(
    names.map(async (name) => compareHistory(name, await readHistory(name), against)),
  )
  const comparisons = found.filter((comparison) => comparison !== null)
  for (const comparison of comparisons) {
    if (json) for (const change of comparison.changes) print(JSON.stringify(change))
    else print(`${printedComparison(comparison, all)}\n`)
  }
  return comparisons.some(({ changes }) => changes.some(({ verdict }) => verdict === 'worse'))
}
