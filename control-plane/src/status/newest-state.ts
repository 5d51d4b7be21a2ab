import type { CheckState, RegionState } from './state.ts'

/** What is known of a check after its row: its version, and the regions that it tells. */
export type Newer = Pick<CheckState, 'version' | 'regions'>

/**
 * The stored state with each region as it was last measured (S-947). A state of another version is left out: a flip
 * is true when it is stored, and its row has all regions.
 */
export const newestState = (stored: CheckState, newer: Newer | undefined): CheckState => {
  if (newer === undefined || newer.version !== stored.version || newer.regions === stored.regions)
    return stored
  let regions = stored.regions
  for (const [region, held] of Object.entries(newer.regions)) {
    const known = stored.regions[region]
    if (known === held || (known !== undefined && lastAtMs(known) > lastAtMs(held))) continue
    if (regions === stored.regions) regions = { ...stored.regions }
    regions[region] = held
  }
  return regions === stored.regions ? stored : { ...stored, regions }
}

/** When anything was last known of a region, Unix ms. */
const lastAtMs = ({ measuredAt, unmeasuredAt, suspect, ignoredAt = 0 }: RegionState): number =>
  Math.max(measuredAt, unmeasuredAt, suspect?.measuredAt ?? 0, ignoredAt)
