import { textTable } from '@probe-mesh/runtime/tables'
import { readHistory } from '../harness/results.ts'
import { median } from '../harness/statistics.ts'
import { compareHistory, shareThatCounts, type Change, type Comparison } from './changes.ts'

export type CompareOptions = {
  names: readonly string[]
  /** A commit or a day; null: the run before. */
  against: string | null
  /** Every figure, not only those that moved. */
  all: boolean
  json: boolean
}

/** Compares the newest run of each bench with an earlier one. @returns whether any figure is worse */
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

/** The changes of one bench for people: the figures that moved, and how many did not. */
export const printedComparison = (comparison: Comparison, isWhole: boolean): string => {
  const { bench, newest, changes, fresh, neutral } = comparison
  const shown = changes.filter(({ verdict }) => isWhole || (verdict !== 'same' && verdict !== 'peer'))
  const head = `${bench}: ${newest.date.slice(0, 16)} ${newest.commit ?? 'no commit'}`
  if (changes.length === 0) return `${head}: no earlier run to compare with`
  const rows = shown
    .toSorted((a, b) => b.worseBy - a.worseBy)
    .map(({ figure, before, after, unit, worseBy, verdict }) => [
      figure,
      `${before.value}`,
      `${after}`,
      unit,
      percentOf(worseBy),
      verdict,
      `${before.date.slice(0, 16)} ${before.commit ?? ''}`.trim(),
    ])
  const table = [['figure', 'before', 'now', 'unit', 'worse by', '', 'run before'], ...rows]
  return [head, ...(rows.length === 0 ? [] : [textTable(table, [1, 2, 4])]), countsOf(comparison)]
    .concat(fresh.length === 0 ? [] : [`  new figures: ${fresh.length}`])
    .concat(neutral.length === 0 ? [] : [`  figures without a better direction: ${neutral.length}`])
    .join('\n')
}

const countsOf = ({ changes, slowerBy }: Comparison): string => {
  const count = (verdict: Change['verdict']) => changes.filter((change) => change.verdict === verdict).length
  const percent = Math.round(shareThatCounts * 100)
  const peers = changes.filter(({ verdict }) => verdict === 'peer').map(({ worseBy }) => worseBy)
  const moved = peers.length === 0 ? '' : `; median of the peers ${percentOf(median(peers))}`
  const machine = slowerBy === null ? '' : `; machine slower by ${percentOf(slowerBy)}`
  return (
    `  of ${changes.length}: ${count('worse')} worse by more than ${percent} %, ${count('better')} better, ` +
    `${count('unsure')} within noise, ${count('same')} unchanged${moved}${machine}`
  )
}

const percentOf = (share: number): string =>
  Number.isFinite(share) ? `${share < 0 ? '' : '+'}${(share * 100).toFixed(0)} %` : 'from 0'
