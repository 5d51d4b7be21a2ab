import type { CatalogIndex } from '../../catalog/catalog-index.ts'
import { goodHours, runsOfChecks, type GoodHours, type StoredRun } from './catalog-runs-query.ts'
import type { ClickHouse } from '../../stores/clickhouse/connect.ts'
import { pastOutages, type Outage } from '../past-outages.ts'
import type { CurrentHealth } from '../reconcile-outages.ts'

/** The longest retention of raw readings. */
const backMs = 30 * 86_400_000
/** Concurrent statements, so that one visitor with many requests does not delay all others. */
const concurrencyMax = 2

/** A cache that loads each entry once for all concurrent requests. */
export type OutageCache = {
  peek(slug: string): readonly Outage[] | undefined
  load(
    slug: string,
    owner: string,
    load: () => Promise<{ keep: readonly Outage[]; value: readonly Outage[] }>,
  ): Promise<readonly Outage[]>
}

/** How long past outages are cached, and for how many services. */
export const outageCacheBounds = { ageMsMax: 60_000, entriesMax: 1_000 } as const

/**
 * The past outages of a service, newest first, from its stored readings; empty for a service outside the
 * catalog.
 * @throws while ClickHouse is unavailable
 */
export const createPastOutages = (capabilities: {
  clickhouse: ClickHouse
  catalog: CatalogIndex
  staleAfterMs: number
  cache: OutageCache
  /** The current health of the service, to reconcile the outages with. */
  healthOf: (slug: string) => CurrentHealth
  now: () => number
}): ((slug: string) => Promise<readonly Outage[]>) => {
  const { clickhouse, catalog, staleAfterMs, cache, healthOf, now } = capabilities
  const checkIds = new Map(
    Map.groupBy(catalog.checks, ({ slug }) => slug)
      .entries()
      .map(([slug, checks]) => [slug, checks.map(({ checkId }) => checkId)]),
  )
  const limited = limitConcurrency(concurrencyMax)
  return async (slug) => {
    const ids = checkIds.get(slug)
    if (ids === undefined) return []
    const key = keyOf(slug, healthOf(slug))
    return (
      cache.peek(key) ??
      (await cache.load(key, '', async () => {
        const outages = await limited(async () => {
          const nowMs = now()
          const filter = { checkIds: ids, fromMs: nowMs - backMs, gapMs: staleAfterMs }
          const good = await goodHours(clickhouse, ids)
          const runs = await runsOfChecks(clickhouse, filter)
          return outagesOfRuns(provenRuns(runs, good), staleAfterMs, nowMs)
        })
        return { keep: outages, value: outages }
      }))
    )
  }
}

/**
 * The cache key changes with the status and with each confirmed failure, so that their readings are loaded.
 */
const keyOf = (slug: string, { failures, upIn, failedAtMs }: CurrentHealth): string =>
  `${slug} ${failures.map(({ region }) => region).join()} ${upIn.join()} ${failedAtMs ?? ''}`

const hourMs = 3_600_000

/**
 * Drops failing runs of a probe in a region where it was never up before: the catalog's expectation may be
 * wrong, and a probe that never worked did not stop working.
 */
export const provenRuns = (runs: readonly StoredRun[], good: readonly GoodHours[]): StoredRun[] => {
  const firstGood = new Map(good.map((one) => [`${one.checkId} ${one.region}`, one.firstMs + hourMs]))
  const keyOf = ({ checkId, region }: StoredRun): string => `${checkId} ${region}`
  for (const run of runs) {
    if (run.verdict === 'down') continue
    firstGood.set(keyOf(run), Math.min(firstGood.get(keyOf(run)) ?? Infinity, run.firstMs))
  }
  return runs.filter((run) => run.verdict === 'up' || (firstGood.get(keyOf(run)) ?? Infinity) <= run.firstMs)
}

/**
 * The outages of a service from the runs of its probes. Each probe is evaluated separately in each region:
 * good readings of one probe do not end a failure of another.
 */
export const outagesOfRuns = (runs: readonly StoredRun[], staleAfterMs: number, nowMs: number): Outage[] =>
  pastOutages(
    runs.map((run) => ({ ...run, region: `${run.region} ${run.checkId}` })),
    staleAfterMs,
    nowMs,
  ).map((outage) => ({
    ...outage,
    regions: [...new Set(outage.regions.map((region) => region.slice(0, region.indexOf(' '))))],
  }))

/** Runs at most `count` acts at the same time. Further acts wait in order. */
export const limitConcurrency = (count: number) => {
  const tails = Array.from({ length: count }, () => Promise.resolve())
  let next = 0
  return <T>(act: () => Promise<T>): Promise<T> => {
    const queue = next++ % count
    const run = (tails[queue] ?? Promise.resolve()).then(act)
    tails[queue] = run.then(
      () => {},
      () => {},
    )
    return run
  }
}
