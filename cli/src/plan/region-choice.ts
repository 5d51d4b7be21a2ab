import type { Check } from '@probe-mesh/contracts/check/check'
import type { Region } from '@probe-mesh/contracts/reading/regions'

export const everyLiveRegion = 'every live region'

/** Where a check is measured from: regions by name, or whichever are live. */
export type RegionChoice = typeof everyLiveRegion | readonly Region[]

/**
 * What the API makes of the regions of an input: "when omitted, every live region is used"
 * (specification, Check), and naming every live region says the same.
 */
export const chooseRegions = (
  named: readonly Region[] | undefined,
  live: readonly Region[],
): RegionChoice => (named === undefined || isSameSet(named, live) ? everyLiveRegion : named)

/** The regions of a check as it carries them. */
export const regionChoiceOf = ({ allRegions, regions }: Check): RegionChoice =>
  allRegions ? everyLiveRegion : regions

/**
 * Whether a check already is where the file wants it. Regions have no order. A check that names its
 * regions stays as it is where the file names the same, even when no others are live by now: the
 * file of an export changes nothing.
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
