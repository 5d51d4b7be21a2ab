import type { Region } from '@probe-mesh/contracts/reading/regions'

/** A region that a control plane holds for broken, and since when, Unix ms. */
export type Doubted = { region: Region; sinceMs: number }

/** Never a majority: at most so many of the live regions lose their votes at once. */
const quarantinedMax = (liveRegions: number): number => Math.floor(liveRegions / 2)

/**
 * Of the regions that are held for broken, those that lose their votes: the first that were, as many as
 * may. Every control plane that knows the same chooses the same. When more fail, what they measure is
 * believed again: nobody would be left to tell a broken mesh from broken targets (S-1005).
 */
export const withoutVotes = (doubted: Iterable<Doubted>, liveRegions: number): Region[] => {
  const since = new Map<Region, number>()
  for (const { region, sinceMs } of doubted) {
    since.set(region, Math.min(since.get(region) ?? sinceMs, sinceMs))
  }
  return [...since]
    .toSorted(([a, aMs], [b, bMs]) => aMs - bMs || (a < b ? -1 : 1))
    .slice(0, quarantinedMax(liveRegions))
    .map(([region]) => region)
    .toSorted()
}
