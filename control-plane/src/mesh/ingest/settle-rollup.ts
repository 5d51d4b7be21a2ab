import type { Reading } from '@probe-mesh/contracts/reading/reading'
import { countInRollup, rebuildRollup } from './repair-rollup.ts'
import { rollupDifferences } from './rollups.ts'
import type { Rollup } from './rollups.ts'
import { runningInsertsEnded } from '../../stores/clickhouse/running-inserts.ts'
import type { IngestContext } from './context.ts'
import { readingsByKey, rollupRepair } from './rollup-repair.ts'

const repairsMax = 5

/**
 * Makes a rollup agree with the raw table wherever these readings count.
 * @throws Error when it differs after every repair: somebody else repairs the same
 */
export const settleRollup = async (
  context: Pick<IngestContext, 'clickhouse' | 'metrics' | 'log'>,
  rollup: Rollup,
  readings: readonly Reading[],
  token: string,
): Promise<void> => {
  const { clickhouse, metrics, log } = context
  const byKey = readingsByKey(rollup, readings)
  const keys = [...byKey.values()].map(({ key }) => key)
  for (let repairs = 0; keys.length > 0; repairs += 1) {
    await runningInsertsEnded(clickhouse)
    const differences = await rollupDifferences(clickhouse, rollup, keys)
    if (differences.length === 0) return
    if (repairs === repairsMax) throw new Error(`${rollup} does not come to agree`)
    const { uncounted, wrong } = rollupRepair(byKey, differences)
    metrics.repairs.inc({ table: rollup })
    const counts = { uncounted: uncounted.length, wrong: wrong.length }
    log.warn({ batch: token, rollup, ...counts }, 'a rollup is repaired for a batch')
    await countInRollup(clickhouse, rollup, uncounted)
    await rebuildRollup(clickhouse, rollup, wrong)
  }
}
