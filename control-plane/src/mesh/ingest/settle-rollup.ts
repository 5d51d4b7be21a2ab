import type { Reading, Verdict } from '@probe-mesh/contracts/reading/reading'
import { nameOf, rollupKeyOf, type Rollup, type RollupDifference, type RollupKey } from './rollups-query.ts'
import type { IngestContext } from './context.ts'

const repairsMax = 5

/**
 * Makes a rollup agree with the raw table for the keys of these readings.
 * @throws Error if they still differ after `repairsMax` repairs: another process repairs the same keys
 */
export const settleRollup = async (
  context: Pick<IngestContext, 'tables' | 'metrics' | 'log'>,
  rollup: Rollup,
  readings: readonly Reading[],
  token: string,
): Promise<void> => {
  const { tables, metrics, log } = context
  const byKey = readingsByKey(rollup, readings)
  const keys = [...byKey.values()].map(({ key }) => key)
  for (let repairs = 0; keys.length > 0; repairs += 1) {
    await tables.insertsEnded()
    const differences = await tables.findDifferences(rollup, keys)
    if (differences.length === 0) return
    if (repairs === repairsMax)
      throw new Error(`${rollup} still differs from the raw table after ${repairsMax} repairs`)
    const { uncounted, wrong } = rollupRepair(byKey, differences)
    metrics.repairs.inc({ table: rollup })
    const counts = { uncounted: uncounted.length, wrong: wrong.length }
    log.warn({ batch: token, rollup, ...counts }, 'repairing a rollup for a batch')
    await tables.count(rollup, uncounted)
    await tables.rebuild(rollup, wrong)
  }
}

type Counted = Pick<Reading, 'checkId' | 'region' | 'slot' | 'verdict'>

/** The readings of a batch that count under one key of a rollup. */
type KeyReadings<R extends Counted> = { key: RollupKey; readings: R[] }

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
 * How to repair a rollup. A key that lacks exactly the batch's readings was not reached by its insert: they
 * are added. No insert leaves any other difference: then the key is rebuilt. A key that lacks the same number
 * by chance is found by the next comparison.
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
