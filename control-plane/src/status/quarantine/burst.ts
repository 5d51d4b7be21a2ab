import type { Survey } from './survey.ts'

/** This many unrelated sources that fall silent for one region at once are a burst. */
const sourcesMin = 2

/**
 * Unrelated sources that stopped answering one region within a round: a network that loses some of them is
 * likelier than as many outages. Unix ms.
 */
export type Burst = {
  /** Silence of the region that started at this time or later is not trusted. */
  sinceMs: number
  /** The burst ends then, unless it is seen again. */
  untilMs: number
}

/**
 * The burst of a region after a survey; null if there is none. Only hosts of the catalog count, because
 * anyone can open an account. It lasts one round after it was last seen, because the hosts do not return all
 * at once.
 */
export const nextBurst = (
  held: Burst | null,
  { failing }: Pick<Survey, 'failing'>,
  nowMs: number,
): Burst | null => {
  const silent = failing.flatMap(({ owner, site, network, run }) =>
    owner.kind === 'catalog' && run !== undefined ? [{ site, network: network ?? site, ...run }] : [],
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
