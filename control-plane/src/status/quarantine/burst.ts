import type { Survey } from './survey.ts'

/** So many unrelated sources that fall silent for one region at once are taken for a burst. */
const sourcesMin = 2

/**
 * Unrelated sources that stopped answering one region within one round: one network that loses a few of them
 * is likelier than as many outages. Unix ms.
 */
export type Burst = {
  /** What fell silent for the region from then on is doubted. */
  sinceMs: number
  /** It is over then, unless it is seen again. */
  untilMs: number
}

/**
 * The burst of a region after it was surveyed; null where there is none. Only the catalog's hosts make one:
 * anybody can open accounts. It lasts for a round beyond its last sight, since what it hit does not come back
 * at once either.
 */
export const nextBurst = (
  held: Burst | null,
  { failing }: Pick<Survey, 'failing'>,
  nowMs: number,
): Burst | null => {
  const silent = failing.flatMap(({ owner, site, network, run }) =>
    owner.kind === 'catalog' && run !== undefined
      ? [{ site, network: network ?? site, ...run }]
      : [],
  )
  if (held !== null) {
    const left = silent.filter(({ sinceMs, roundMs }) => sinceMs >= held.sinceMs - roundMs)
    const sinceMs = Math.min(held.sinceMs, ...left.map((one) => one.sinceMs))
    if (left.length > 0) {
      const lingersMs = Math.max(...left.map(({ roundMs }) => roundMs))
      return { sinceMs, untilMs: nowMs + lingersMs }
    }
    if (nowMs <= held.untilMs) return held
  }
  for (const first of silent) {
    const near = silent.filter(
      ({ sinceMs, roundMs }) => sinceMs >= first.sinceMs && sinceMs - first.sinceMs <= roundMs,
    )
    const sources = Math.min(
      new Set(near.map(({ site }) => site)).size,
      new Set(near.map(({ network }) => network)).size,
    )
    if (sources >= sourcesMin) return { sinceMs: first.sinceMs, untilMs: nowMs + first.roundMs }
  }
  return null
}
