import type { ObjectiveState } from '@probe-mesh/contracts/objective/objective'
import type { BurnAlert } from './objectives-store.ts'

/** A pair of windows that begins to burn, or no longer does, and since when. */
export type Burn = {
  event: 'begin' | 'end'
  pair: ObjectiveState['burns'][number]
  sinceMs: number
  /** Who learns that it ended: those who know that it began. null: everyone. */
  told: readonly string[] | null
}

/**
 * What receivers have to learn: pairs that burn and have no alert, and alerts of pairs that burn no longer. A pair
 * without figures neither begins nor ends (S-3715).
 */
export const stepBurns = (
  burns: ObjectiveState['burns'],
  open: readonly BurnAlert[],
  nowMs: number,
): Burn[] =>
  burns.flatMap((pair): Burn[] => {
    const alert = open.find(({ long }) => long === pair.long)
    if (alert === undefined) {
      return pair.spending === true ? [{ event: 'begin', pair, sinceMs: nowMs, told: null }] : []
    }
    if (pair.spending === false)
      return [{ event: 'end', pair, sinceMs: alert.sinceMs, told: alert.receivers }]
    return []
  })
