import type { ObjectiveState } from '@probe-mesh/contracts/objective/objective'
import type { BurnAlert } from './objectives-store.ts'

/** A pair of windows that begins to burn, or no longer does, and since when. */
export type Burn = {
  event: 'begin' | 'end'
  pair: ObjectiveState['burns'][number]
  sinceMs: number
}

/**
 * What receivers have to learn: pairs that burn and have no alert, and alerts of pairs that burn no longer. A pair
 * without figures neither begins nor ends (S-3715). Pure.
 */
export const stepBurns = (
  burns: ObjectiveState['burns'],
  open: readonly BurnAlert[],
  nowMs: number,
): Burn[] =>
  burns.flatMap((pair): Burn[] => {
    const sinceMs = open.find(({ long }) => long === pair.long)?.sinceMs
    if (pair.spending === true && sinceMs === undefined) return [{ event: 'begin', pair, sinceMs: nowMs }]
    if (pair.spending === false && sinceMs !== undefined) return [{ event: 'end', pair, sinceMs }]
    return []
  })
