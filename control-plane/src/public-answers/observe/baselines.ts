import type { Region } from '@probe-mesh/contracts/reading/regions'
import type { CatalogIndex } from '../../catalog/catalog-index.ts'
import { partsOfChecks } from './catalog-checks-query.ts'
import { mediansOfHours, sameHours } from './catalog-hours-query.ts'
import type { ClickHouse } from '../../stores/clickhouse/connect.ts'
import type { RegionLatency } from '../plate.ts'

const hourMs = 3_600_000
/** An older baseline is discarded: hours differ too much. */
const baselinesMsMax = 2 * hourMs

type Baseline = NonNullable<RegionLatency['baseline']>

export type Baselines = {
  refresh(): Promise<void>
  /** The baseline of one probe in one region; null without readings, or before it is loaded. */
  of(checkId: string, region: Region): Baseline | null
  /** The number of refreshes that replaced the baselines. */
  version(): number
}

/** The usual response time of each probe in each region at this hour. */
export const createBaselines = (capabilities: {
  clickhouse: ClickHouse
  catalog: CatalogIndex
  now: () => number
}): Baselines => {
  const { clickhouse, catalog, now } = capabilities
  const checkIds = catalog.checks.map(({ checkId }) => checkId)
  let known = { hourMs: -Infinity, baselines: new Map<string, Baseline>() }
  let version = 0
  return {
    refresh: async () => {
      const nowMs = now()
      const hoursMs = sameHours(nowMs)
      const thisHourMs = Math.floor(nowMs / hourMs) * hourMs
      if (known.hourMs === thisHourMs) return
      const baselines = new Map<string, Baseline>()
      for (const part of partsOfChecks(checkIds)) {
        for (const row of await mediansOfHours(clickhouse, part, hoursMs)) {
          const { p50Ms, samples } = row
          baselines.set(`${row.checkId}:${row.region}`, { p50Ms, samples })
        }
      }
      known = { hourMs: thisHourMs, baselines }
      version += 1
    },
    of: (checkId, region) =>
      now() - known.hourMs < baselinesMsMax ? (known.baselines.get(`${checkId}:${region}`) ?? null) : null,
    version: () => version,
  }
}
