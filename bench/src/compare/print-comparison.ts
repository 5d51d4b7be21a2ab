import type { Change, Comparison } from './changes.ts'
import { shareThatCounts } from './changes.ts'
import { alignColumns } from '../align-columns.ts'
import { median } from '../statistics.ts'

/** What changed of one bench, as people read it: the figures that moved, and how many did not. */
export const printedComparison = (comparison: Comparison, isWhole: boolean): string => {
  const { bench, newest, changes, fresh, neutral } = comparison
  const shown = changes.filter(
    ({ verdict }) => isWhole || (verdict !== 'same' && verdict !== 'peer'),
  )
  const head = `${bench}: ${newest.date.slice(0, 16)} ${newest.commit ?? 'no commit'}`
  if (changes.length === 0) return `${head}: nothing to compare it with`
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
  const table = [['figure', 'before', 'now', 'unit', 'worse by', '', 'before is of'], ...rows]
  return [
    head,
    ...(rows.length === 0 ? [] : [alignColumns(table, [1, 2, 4])]),
    countsOf(comparison),
  ]
    .concat(fresh.length === 0 ? [] : [`  not measured before: ${fresh.length}`])
    .concat(
      neutral.length === 0 ? [] : [`  neither better nor worse either way: ${neutral.length}`],
    )
    .join('\n')
}

const countsOf = ({ changes, slowerBy }: Comparison): string => {
  const count = (verdict: Change['verdict']) =>
    changes.filter((change) => change.verdict === verdict).length
  const percent = Math.round(shareThatCounts * 100)
  const peers = changes.filter(({ verdict }) => verdict === 'peer').map(({ worseBy }) => worseBy)
  const moved =
    peers.length === 0 ? '' : `; peers were ${percentOf(median(peers))} worse by the median`
  const machine =
    slowerBy === null ? '' : `; the machine by itself was ${percentOf(slowerBy)} slower`
  return (
    `  of ${changes.length}: ${count('worse')} worse by more than ${percent} %, ${count('better')} better, ` +
    `${count('unsure')} moved within their noise, ${count('same')} as before${moved}${machine}`
  )
}

const percentOf = (share: number): string =>
  Number.isFinite(share) ? `${share < 0 ? '' : '+'}${(share * 100).toFixed(0)} %` : 'from 0'
