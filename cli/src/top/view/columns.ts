import type { Region } from '@probe-mesh/contracts/reading/regions'

/** How the window width is divided; 0: the column is left out. */
export type Columns = {
  name: number
  status: number
  regions: readonly Region[]
  /** Width of each region column, including its latency if there is room. */
  region: number
  latency: number
  line: number
  age: number
}

const marker = 2
const status = 12
const region = { narrow: 4, wide: 12 }
const age = 8
const latency = 9
const line = { least: 10, most: 26 }
const name = { least: 12, good: 18, most: 48 }

/**
 * Columns for a width: first name, status and as many regions as fit, then age, latency and the
 * latency line, then latencies by region. The focused region always has a column.
 */
export const columnsFor = (width: number, regions: readonly Region[], focus: Region | null): Columns => {
  let left = width - marker - status - name.least
  const fitting = Math.max(1, Math.min(regions.length, Math.floor(left / region.narrow)))
  const shown = withFocus(regions, fitting, focus)
  left -= shown.length * region.narrow + (name.good - name.least)
  const take = (wanted: number): number => {
    if (left < wanted) return 0
    left -= wanted
    return wanted
  }
  const columns = { age: take(age), latency: take(latency), line: take(line.least) }
  const wider = take(shown.length * (region.wide - region.narrow)) > 0
  const longer = columns.line === 0 ? 0 : Math.max(0, Math.min(left, line.most - line.least))
  left -= longer
  const used = shown.length * (wider ? region.wide : region.narrow) + marker + status
  const rest = width - used - columns.age - columns.latency - columns.line - longer
  return {
    name: Math.min(name.most, rest),
    status,
    regions: shown,
    region: wider ? region.wide : region.narrow,
    latency: columns.latency,
    line: columns.line + longer,
    age: columns.age,
  }
}

const withFocus = (regions: readonly Region[], fitting: number, focus: Region | null): readonly Region[] => {
  const shown = regions.slice(0, fitting)
  return focus === null || shown.includes(focus) ? shown : [...shown.slice(0, -1), focus]
}
