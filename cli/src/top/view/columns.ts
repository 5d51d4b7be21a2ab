import type { Region } from '@probe-mesh/contracts/reading/regions'

/** How the window width is divided; 0: the column is left out. */
export type Columns = {
  name: number
  status: number
  since: number
  regions: readonly Region[]
  /** Width of each region column, including its latency if there is room. */
  region: number
  latency: number
  /** The last 24 hours. */
  trend: number
  /** The live latency line. */
  line: number
  age: number
  reason: number
}

const marker = 2
const status = 12
const region = { narrow: 4, wide: 12 }
const since = 8
const age = 8
const latency = 9
const trend = 26
const line = { least: 10, most: 26 }
const reason = { least: 20, good: 44 }
const name = { least: 12, good: 18, most: 48 }

type Asked = {
  width: number
  regions: readonly Region[]
  /** It always has a column. */
  focus: Region | null
  /** The longest name, which may need less than its column. */
  longestName: number
}

/**
 * Columns for a width: name, status and as many regions as fit, then since and the reason, then age, latency, the
 * last 24 hours, the latency line and latencies by region. The reason gets the rest.
 */
export const columnsFor = ({ width, regions, focus, longestName }: Asked): Columns => {
  let left = width - marker - status - name.least
  const take = (wanted: number): number => {
    if (left < wanted) return 0
    left -= wanted
    return wanted
  }
  /** Up to a number of columns, as far as there are any. */
  const widen = (by: number): number => take(Math.max(0, Math.min(by, left)))
  const fitting = Math.max(1, Math.min(regions.length, Math.floor(left / region.narrow)))
  const shown = withFocus(regions, fitting, focus)
  left -= shown.length * region.narrow
  const wanted = Math.max(name.least, Math.min(longestName + 1, name.most))
  const columns = {
    since: take(since),
    name: name.least + widen(Math.min(wanted, name.good) - name.least),
    reason: take(reason.least),
    age: take(age),
    latency: take(latency),
  }
  const more = columns.reason === 0 ? 0 : widen(reason.good - reason.least)
  const after = { trend: take(trend), line: take(line.least) }
  const isWide = take(shown.length * (region.wide - region.narrow)) > 0
  const longer = after.line === 0 ? 0 : widen(line.most - line.least)
  const longerName = widen(wanted - columns.name)
  return {
    ...columns,
    status,
    regions: shown,
    region: isWide ? region.wide : region.narrow,
    trend: after.trend,
    line: after.line + longer,
    name: columns.name + longerName + (columns.reason === 0 ? widen(name.most) : 0),
    reason: columns.reason === 0 ? 0 : columns.reason + more + left,
  }
}

const withFocus = (regions: readonly Region[], fitting: number, focus: Region | null): readonly Region[] => {
  const shown = regions.slice(0, fitting)
  return focus === null || shown.includes(focus) ? shown : [...shown.slice(0, -1), focus]
}
