import type { Region } from '@probe-mesh/contracts/reading/regions'
import type { CatalogIndex } from '../../catalog/catalog-index.ts'
import { partsOfChecks } from './catalog-checks-query.ts'
import { mediansOfHours, mediansSince, timesOfHours, timesSince, sameHours } from './catalog-hours-query.ts'
import type { ClickHouse } from '../../stores/clickhouse/connect.ts'
import { usualTimesOf, type UsualTimes } from '../response-ratios.ts'
import { weatherWindowMs, type MeasuredRegion, type Percentiles } from '../weather.ts'

export type ResponseTimes = {
  refresh(): Promise<void>
  /** One entry per live region, empty until loaded. */
  regions(): Omit<MeasuredRegion, 'quarantined'>[]
}

/** The median response time of each check on each day, by check and region. */
type Days = Map<string, (number | null)[]>
type Regional = Omit<MeasuredRegion, 'quarantined' | 'region'>

/**
 * Response times of the whole catalog by region, now and at this hour of the last seven days: over all
 * services, and of each service relative to its own usual time.
 */
export const createResponseTimes = (capabilities: {
  clickhouse: ClickHouse
  catalog: CatalogIndex
  regions: readonly Region[]
  now: () => number
}): ResponseTimes => {
  const { clickhouse, catalog, regions, now } = capabilities
  const checkIds = catalog.checks.map(({ checkId }) => checkId)
  const parts = partsOfChecks(checkIds)
  let past = {
    hoursMs: [] as number[],
    byRegion: new Map<Region, Percentiles[]>(),
    usualTimes: new Map<Region, UsualTimes>(),
  }
  let last = { atMs: -Infinity, byRegion: new Map<Region, Regional>() }

  const refreshDays = async (nowMs: number): Promise<void> => {
    const hoursMs = sameHours(nowMs)
    if (past.hoursMs[0] === hoursMs[0]) return
    const rows = await timesOfHours(clickhouse, checkIds, hoursMs)
    const days: Days = new Map()
    for (const [index, hourMs] of hoursMs.entries()) {
      for (const part of parts) {
        for (const { checkId, region, p50Ms } of await mediansOfHours(clickhouse, part, [hourMs])) {
          const key = `${checkId} ${region}`
          const own = days.get(key) ?? hoursMs.map(() => null)
          own[index] = p50Ms
          days.set(key, own)
        }
      }
    }
    const usualTimes = regions.map((region): [Region, UsualTimes] => [
      region,
      usualTimesOf(
        catalog.checks.map(({ slug, checkId }) => ({
          slug,
          days: days.get(`${checkId} ${region}`) ?? [],
        })),
      ),
    ])
    const byRegion = Map.groupBy(rows, ({ region }) => region)
    past = { hoursMs, byRegion, usualTimes: new Map(usualTimes) }
  }

  const readTimes = async (fromMs: number): Promise<Map<string, number>> => {
    const times = new Map<string, number>()
    for (const part of parts) {
      for (const { checkId, region, p50Ms } of await mediansSince(clickhouse, part, fromMs)) {
        times.set(`${checkId} ${region}`, p50Ms)
      }
    }
    return times
  }

  return {
    refresh: async () => {
      if (checkIds.length === 0) return
      const nowMs = now()
      await refreshDays(nowMs)
      const rows = await timesSince(clickhouse, checkIds, nowMs - weatherWindowMs)
      const times = await readTimes(nowMs - weatherWindowMs)
      const pooled = new Map(rows.map((row) => [row.region, row]))
      const byRegion = new Map(
        regions.map((region): [Region, Regional] => {
          const usualTimes = past.usualTimes.get(region)
          const now = catalog.checks.map(({ checkId }) => times.get(`${checkId} ${region}`) ?? null)
          return [
            region,
            {
              now: percentilesOf(pooled.get(region)),
              days: (past.byRegion.get(region) ?? []).flatMap((day) => percentilesOf(day) ?? []),
              responseRatio: usualTimes?.ratioOf(now) ?? null,
              dayRatios: usualTimes?.days ?? [],
            },
          ]
        }),
      )
      last = { atMs: nowMs, byRegion }
    },
    regions: () => {
      const isKnown = now() - last.atMs < weatherWindowMs
      return regions.map((region) => ({
        region,
        ...((isKnown ? last.byRegion.get(region) : undefined) ?? nothing),
      }))
    },
  }
}

const nothing: Regional = { now: null, days: [], responseRatio: null, dayRatios: [] }

const percentilesOf = (row: Percentiles | undefined): Percentiles | null =>
  row === undefined ? null : { p50Ms: row.p50Ms, p75Ms: row.p75Ms, p95Ms: row.p95Ms, samples: row.samples }
