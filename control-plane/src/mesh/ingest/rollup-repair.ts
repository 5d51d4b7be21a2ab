import type { Reading, Verdict } from '@probe-mesh/contracts/reading/reading'
import type { Rollup, RollupDifference, RollupKey } from './rollups.ts'
import { nameOf, rollupKeyOf } from './rollups.ts'

type Counted = Pick<Reading, 'checkId' | 'region' | 'slot' | 'verdict'>

/** The readings of a batch that count under one key of a rollup. */
export type KeyReadings<R extends Counted> = { key: RollupKey; readings: R[] }

/** By `nameOf` the key. */
export const readingsByKey = <R extends Counted>(
  rollup: Rollup,
  readings: readonly R[],
): Map<string, KeyReadings<R>> => {
  const byKey = new Map<string, KeyReadings<R>>()
  for (const reading of readings) {
    const key = rollupKeyOf(rollup, reading)
    const known = byKey.get(nameOf(key))
    if (known === undefined) byKey.set(nameOf(key), { key, readings: [reading] })
    else known.readings.push(reading)
  }
  return byKey
}

/**
 * How a rollup is healed. A key that lacks exactly the batch's readings was not reached by its
 * insert: they are counted in. Any other difference is none that an insert leaves: the key is made
 * anew. A key that lacks as much by chance is found wrong at the next look.
 */
export const rollupRepair = <R extends Counted>(
  byKey: ReadonlyMap<string, KeyReadings<R>>,
  differences: readonly RollupDifference[],
): { uncounted: R[]; wrong: RollupDifference[] } => {
  const uncounted: R[] = []
  const wrong: RollupDifference[] = []
  for (const difference of differences) {
    const readings = byKey.get(nameOf(difference))?.readings ?? []
    const isLacking = (verdict: Verdict): boolean =>
      difference[verdict] === readings.filter((reading) => reading.verdict === verdict).length
    if (verdicts.every(isLacking)) uncounted.push(...readings)
    else wrong.push(difference)
  }
  return { uncounted, wrong }
}

const verdicts = ['up', 'down', 'blocked', 'unmeasured'] as const satisfies readonly Verdict[]
