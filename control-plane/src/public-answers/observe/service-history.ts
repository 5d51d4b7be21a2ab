import {
  serviceStepSeconds,
  serviceDays,
  type ServiceHistory,
  type ServiceDay,
  type ServiceStep,
} from '@probe-mesh/contracts/outage/service-page'
import type { CatalogIndex } from '../../catalog/catalog-index.ts'
import { hoursOfChecks, stepsOfChecks } from './catalog-history-query.ts'
import type { ClickHouse } from '../../stores/clickhouse/connect.ts'
import { limitConcurrency } from './past-outages.ts'

/** Concurrent statements, so that one visitor with many requests does not delay all others. */
const concurrencyMax = 2

/** A cache that loads each entry once for all concurrent requests. */
type HistoryCache = {
  peek(slug: string): ServiceHistory | undefined
  load(
    slug: string,
    owner: string,
    load: () => Promise<{ keep: ServiceHistory; value: ServiceHistory }>,
  ): Promise<ServiceHistory>
}

/** How long histories, each about 30 kB, are cached, and for how many services. */
export const historyCacheBounds = { ageMsMax: 30_000, entriesMax: 500 } as const

/**
 * The history of a service from the rollups of its probes, over all regions; without data for a service
 * outside the catalog.
 * @throws while ClickHouse is unavailable
 */
export const createServiceHistory = (capabilities: {
  clickhouse: ClickHouse
  catalog: CatalogIndex
  cache: HistoryCache
  now: () => number
}): ((slug: string) => Promise<ServiceHistory>) => {
  const { clickhouse, catalog, cache, now } = capabilities
  const checksOf = Map.groupBy(catalog.checks, ({ slug }) => slug)
  const limited = limitConcurrency(concurrencyMax)

  const read = async (checkIds: readonly string[]): Promise<ServiceHistory> => {
    const nowMs = now()
    const spans = historySpans(nowMs)
    const hours = await hoursOfChecks(clickhouse, { checkIds, ...spans.days })
    const steps = await stepsOfChecks(clickhouse, {
      checkIds,
      ...spans.steps,
      stepSeconds: serviceStepSeconds,
    })
    return describeServiceHistory({ hours, steps }, nowMs)
  }

  return async (slug) => {
    const checkIds = checksOf.get(slug)?.map(({ checkId }) => checkId)
    if (checkIds === undefined) return describeServiceHistory({ hours: [], steps: [] }, now())
    return (
      cache.peek(slug) ??
      (await cache.load(slug, '', async () => {
        const history = await limited(() => read(checkIds))
        return { keep: history, value: history }
      }))
    )
  }
}

/** Times are Unix milliseconds. */
type CountedHour = { atMs: number; up: number; down: number }
type CountedStep = Omit<ServiceStep, 'at'> & { atMs: number }

const hourMs = 3_600_000
const dayMs = 24 * hourMs
const stepMs = serviceStepSeconds * 1000

/** The days and steps of a history. The last of each is the current one. */
export const historySpans = (nowMs: number): Record<'days' | 'steps', { fromMs: number; toMs: number }> => {
  const today = Math.floor(nowMs / dayMs) * dayMs
  const toMs = (Math.floor(nowMs / stepMs) + 1) * stepMs
  return {
    days: { fromMs: today - (serviceDays - 1) * dayMs, toMs: today + dayMs },
    steps: { fromMs: toMs - dayMs, toMs },
  }
}

const noData = { p50Ms: null, p95Ms: null, up: 0, down: 0, blocked: 0, unmeasured: 0 }

/**
 * The last 24 hours and the last days of a service, from counted readings. Steps and days without readings
 * are included but do not count in shares.
 * @param counted without the hours and steps that have no readings
 */
export const describeServiceHistory = (
  counted: { hours: readonly CountedHour[]; steps: readonly CountedStep[] },
  nowMs: number,
): ServiceHistory => {
  const spans = historySpans(nowMs)
  const steps = new Map(counted.steps.map(({ atMs, ...step }) => [atMs, step]))
  const byDay = Map.groupBy(counted.hours, ({ atMs }) => Math.floor(atMs / dayMs) * dayMs)
  const days = Array.from({ length: serviceDays }, (_, index) => {
    const fromMs = spans.days.fromMs + index * dayMs
    return describeDay(fromMs, byDay.get(fromMs) ?? [], nowMs)
  })
  return {
    asOf: instant(nowMs),
    from: instant(spans.steps.fromMs),
    to: instant(spans.steps.toMs),
    stepSeconds: serviceStepSeconds,
    steps: Array.from({ length: dayMs / stepMs }, (_, index) => {
      const atMs = spans.steps.fromMs + index * stepMs
      return { at: instant(atMs), ...(steps.get(atMs) ?? noData) }
    }),
    days,
    upShare: shareOf(counted.hours.filter(({ atMs }) => atMs >= spans.days.fromMs)),
  }
}

const describeDay = (fromMs: number, hours: readonly CountedHour[], nowMs: number): ServiceDay => {
  const toMs = Math.min(fromMs + dayMs, nowMs)
  const measuredMs = hours.reduce(
    (sum, { atMs }) => sum + Math.max(0, Math.min(atMs + hourMs, toMs) - atMs),
    0,
  )
  return {
    date: instant(fromMs).slice(0, 10),
    upShare: shareOf(hours),
    measuredSeconds: Math.floor(measuredMs / 1000),
    unmeasuredSeconds: Math.max(0, Math.ceil((toMs - fromMs - measuredMs) / 1000)),
  }
}

/** Rounded down, so that one failure never results in 1. */
const shareOf = (hours: readonly CountedHour[]): number | null => {
  const up = hours.reduce((sum, hour) => sum + hour.up, 0)
  const down = hours.reduce((sum, hour) => sum + hour.down, 0)
  if (up + down === 0) return null
  return down === 0 ? 1 : Math.min(999_999, Math.floor((up / (up + down)) * 1e6)) / 1e6
}

const instant = (ms: number): string => new Date(ms).toISOString()
