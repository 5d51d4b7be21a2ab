import type { CatalogIndex } from '../../catalog/catalog-index.ts'
import { goodHours, runsOfChecks } from './catalog-runs-query.ts'
import type { GoodHours, StoredRun } from './catalog-runs-query.ts'
import type { ClickHouse } from '../../stores/clickhouse/connect.ts'
import { pastOutages } from '../past-outages.ts'
import type { Outage } from '../past-outages.ts'
import type { StandingNow } from '../reconcile-outages.ts'

/** The longest that raw readings are kept. */
const backMs = 30 * 86_400_000
/** Concurrent statements: a visitor with many requests does not delay all others. */
const concurrencyMax = 2

/** What loading once for all who ask, and remembering for a while, has to offer. */
export type OutageCache = {
  peek(slug: string): readonly Outage[] | undefined
  load(
    slug: string,
    asker: string,
    load: () => Promise<{ keep: readonly Outage[]; value: readonly Outage[] }>,
  ): Promise<readonly Outage[]>
}

/** How long past outages are remembered, and of how many services. */
export const outageCacheBounds = { ageMsMax: 60_000, entriesMax: 1_000 } as const

/**
 * The past outages of a service, newest first, from its stored readings; empty for what is not in
 * the catalog. Throws what the store does while it is away.
 */
export const createPastOutages = (capabilities: {
  clickhouse: ClickHouse
  catalog: CatalogIndex
  staleAfterMs: number
  cache: OutageCache
  /** What the status told beside them stands on. */
  standingOf: (slug: string) => StandingNow
  now: () => number
}): ((slug: string) => Promise<readonly Outage[]>) => {
  const { clickhouse, catalog, staleAfterMs, cache, standingOf, now } = capabilities
  const checkIds = new Map(
    Map.groupBy(catalog.checks, ({ slug }) => slug)
      .entries()
      .map(([slug, checks]) => [slug, checks.map(({ checkId }) => checkId)]),
  )
  const limited = limitConcurrency(concurrencyMax)
  return async (slug) => {
    const ids = checkIds.get(slug)
    if (ids === undefined) return []
    const key = keyOf(slug, standingOf(slug))
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

/** A status that turned wants the readings that turned it, also where it has turned back since. */
const keyOf = (slug: string, { failures, wellIn, failedAtMs }: StandingNow): string =>
  `${slug} ${failures.map(({ region }) => region).join()} ${wellIn.join()} ${failedAtMs ?? ''}`

const hourMs = 3_600_000

/**
 * Without the failing runs of a probe in a region where it had not been good before: its expectation
 * may be wrong, and what was never seen to work did not stop working.
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
 * The outages of a service from the runs of its probes. Good readings of one probe end no failure
 * of another: each is followed by itself, in each region.
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

/** Runs so many acts at a time; who comes when all are taken waits in line. */
export const limitConcurrency = (count: number) => {
  const tails = Array.from({ length: count }, () => Promise.resolve())
  let next = 0
  return <T>(act: () => Promise<T>): Promise<T> => {
    const lane = next++ % count
    const run = (tails[lane] ?? Promise.resolve()).then(act)
    tails[lane] = run.then(
      () => {},
      () => {},
    )
    return run
  }
}
