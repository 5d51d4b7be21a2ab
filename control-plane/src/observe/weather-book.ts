import type { Region } from '@probe-mesh/contracts/regions'
import type { CatalogIndex } from '../catalog/catalog-index.ts'
import { timesOfHours, timesSince } from '../clickhouse/catalog-hours.ts'
import type { ClickHouse } from '../clickhouse/connect.ts'
import { weatherWindowMs } from '../outage/weather.ts'
import type { MeasuredRegion, Percentiles } from '../outage/weather.ts'
import { sameHours } from './same-hours.ts'

export type WeatherBook = {
  refresh(): Promise<void>
  /** One for each live region, empty while it is not known. */
  regions(): Omit<MeasuredRegion, 'quarantined'>[]
}

/** Response times of the whole catalog by region, now and at this hour of the last seven days. */
export const createWeatherBook = (capabilities: {
  clickhouse: ClickHouse
  catalog: CatalogIndex
  regions: readonly Region[]
  now: () => number
}): WeatherBook => {
  const { clickhouse, catalog, regions, now } = capabilities
  const checkIds = catalog.checks.map(({ checkId }) => checkId)
  let days = { hoursMs: [] as number[], byRegion: new Map<Region, Percentiles[]>() }
  let last = { atMs: -Infinity, byRegion: new Map<Region, Percentiles>() }
  const refreshDays = async (nowMs: number): Promise<void> => {
    const hoursMs = sameHours(nowMs)
    if (days.hoursMs[0] === hoursMs[0]) return
    const rows = await timesOfHours(clickhouse, checkIds, hoursMs)
    days = { hoursMs, byRegion: Map.groupBy(rows, ({ region }) => region) }
  }
  return {
    refresh: async () => {
      if (checkIds.length === 0) return
      const nowMs = now()
      await refreshDays(nowMs)
      const rows = await timesSince(clickhouse, checkIds, nowMs - weatherWindowMs)
      last = { atMs: nowMs, byRegion: new Map(rows.map((row) => [row.region, row])) }
    },
    regions: () => {
      const isKnown = now() - last.atMs < weatherWindowMs
      return regions.map((region) => ({
        region,
        now: isKnown ? percentilesOf(last.byRegion.get(region)) : null,
        days: isKnown
          ? (days.byRegion.get(region) ?? []).flatMap((day) => percentilesOf(day) ?? [])
          : [],
      }))
    },
  }
}

const percentilesOf = (row: Percentiles | undefined): Percentiles | null =>
  row === undefined
    ? null
    : { p50Ms: row.p50Ms, p75Ms: row.p75Ms, p95Ms: row.p95Ms, samples: row.samples }
