import type { Check } from '@probe-mesh/contracts/check/check'
import type { Region } from '@probe-mesh/contracts/reading/regions'

export const everyLiveRegion = 'every live region'

/** Where a check is measured from: named regions, or all live ones. */
export type RegionChoice = typeof everyLiveRegion | readonly Region[]

/** Omitted regions mean every live region, and so does naming all of them. */
export const chooseRegions = (named: readonly Region[] | undefined, live: readonly Region[]): RegionChoice =>
  named === undefined || isSameSet(named, live) ? everyLiveRegion : named

/** The regions of a check. */
export const regionChoiceOf = ({ allRegions, regions }: Check): RegionChoice =>
  allRegions ? everyLiveRegion : regions

/**
 * Whether a check already has the regions of the file. Order does not matter. A check that names
 * its regions matches a file that names the same, even if they are all the live ones: applying an
 * export changes nothing.
 */
export const isMeasuredFrom = (
  check: Check,
  named: readonly Region[] | undefined,
  live: readonly Region[],
): boolean => {
  if (!check.allRegions && named !== undefined) return isSameSet(check.regions, named)
  return check.allRegions && chooseRegions(named, live) === everyLiveRegion
}

const isSameSet = (a: readonly Region[], b: readonly Region[]): boolean => {
  const inA = new Set(a)
  return inA.size === new Set(b).size && b.every((region) => inA.has(region))
}
