import type { Tier, TierLimits } from '@probe-mesh/contracts/account/tiers'
import { isRewritingReadings, setReadingsRetention } from '../../readings/readings-retention.ts'
import type { ClickHouse } from '../../stores/clickhouse/connect.ts'
import { advanceRetentionChange, findRetentionChange } from './retention-changes-store.ts'
import type { Sql } from '../../stores/postgres/connect.ts'

/** Checks whose stored readings one step sees to. */
export const checksPerStep = 200

/**
 * One step of carrying out the oldest change of a tier: some checks of the account. Killed in between
 * it is repeated, which changes nothing more. The next one waits until the store has done this one (S-719).
 * @param delayMs so long after the change no reading is stored by the former tier any more
 * @returns how many checks; null where there is nothing to do now
 */
export const applyRetention = async (
  { sql, clickhouse }: { sql: Sql; clickhouse: ClickHouse },
  tiers: Readonly<Record<Tier, TierLimits>>,
  { nowMs, delayMs }: { nowMs: number; delayMs: number },
): Promise<number | null> => {
  const change = await findRetentionChange(sql, nowMs - delayMs, checksPerStep)
  if (change === null || (await isRewritingReadings(clickhouse))) return null
  await setReadingsRetention(clickhouse, change.checkIds, tiers[change.tier])
  await advanceRetentionChange(sql, change)
  return change.checkIds.length
}
