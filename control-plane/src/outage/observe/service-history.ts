import type { ServiceHistory } from '@probe-mesh/contracts/outage/service-page'
import { serviceStepSeconds } from '@probe-mesh/contracts/outage/service-page'
import type { CatalogIndex } from '../../catalog/catalog-index.ts'
import { hoursOfChecks, stepsOfChecks } from './catalog-history-query.ts'
import type { ClickHouse } from '../../stores/clickhouse/connect.ts'
import { describeServiceHistory, historySpans } from '../service-history.ts'
import { createLanes } from './past-outages.ts'

/** Statements at one time: visitors who ask for much hold up nobody else's. */
const lanesMax = 2

/** What loading once for all who ask, and remembering for a while, has to offer. */
export type HistoryCache = {
  peek(slug: string): ServiceHistory | undefined
  load(
    slug: string,
    asker: string,
    load: () => Promise<{ keep: ServiceHistory; value: ServiceHistory }>,
  ): Promise<ServiceHistory>
}

/** How long histories are remembered, each about 30 kB, and of how many services. */
export const historyCacheBounds = { ageMsMax: 30_000, entriesMax: 500 } as const

/**
 * The history of a service from the rollups of its probes, all regions together; silent for what is
 * not in the catalog. Throws what the store does while it is away.
 */
export const createServiceHistory = (capabilities: {
  clickhouse: ClickHouse
  catalog: CatalogIndex
  cache: HistoryCache
  now: () => number
}): ((slug: string) => Promise<ServiceHistory>) => {
  const { clickhouse, catalog, cache, now } = capabilities
  const checksOf = Map.groupBy(catalog.checks, ({ slug }) => slug)
  const inLane = createLanes(lanesMax)

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
        const history = await inLane(() => read(checkIds))
        return { keep: history, value: history }
      }))
    )
  }
}
