import type { CheckState, RegionState } from './state.ts'

/** What is known of a check after its row: its version, and the regions that it tells. */
export type Newer = Pick<CheckState, 'version' | 'regions'>

/**
 * The stored state with each region as it was last measured (S-947). A state of another version is left out: a flip
 * is true when it is stored, and its row has all regions. A vote that was taken back is in the row, and no newer.
 */
export const newestState = (stored: CheckState, newer: Newer | undefined): CheckState => {
  if (newer === undefined || newer.version !== stored.version) return stored
  const regions = newestRegions(stored.regions, newer.regions)
  return regions === stored.regions ? stored : { ...stored, regions }
}

/** Each region as it was last measured; of two of one time the first, which is the same object if none is newer. */
export const newestRegions = (
  one: CheckState['regions'],
  other: CheckState['regions'],
): CheckState['regions'] => {
  if (one === other) return one
  let regions = one
  for (const [region, held] of Object.entries(other)) {
    const known = one[region]
    if (known === held || (known !== undefined && !isNewer(held, known))) continue
    if (regions === one) regions = { ...one }
    regions[region] = held
  }
  return regions
}

const isNewer = (held: RegionState, known: RegionState): boolean =>
  lastAtMs(held) > lastAtMs(known) ||
  // both after the same slot that was not measured
  (lastAtMs(held) === lastAtMs(known) && held.measuredAt > known.measuredAt)

/** When anything was last known of a region, Unix ms. */
const lastAtMs = ({ measuredAt, unmeasuredAt, suspect, ignoredAt = 0 }: RegionState): number =>
  Math.max(measuredAt, unmeasuredAt, suspect?.measuredAt ?? 0, ignoredAt)
