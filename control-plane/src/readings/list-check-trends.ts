import type { CheckTrends, CheckTrend } from '@probe-mesh/contracts/check/check-list'
import { isRefusal, refuse } from '@probe-mesh/contracts/schema/refusal'
import type { Refusal } from '@probe-mesh/contracts/schema/refusal'
import { findChecksOf } from '../check-record/checks-store.ts'
import { inAccount } from '../stores/postgres/in-account.ts'
import { queryClickHouse } from '../operations/query-clickhouse.ts'
import type { AccountContext, Caller } from '../operations/context.ts'
import type { ClickHouse } from '../stores/clickhouse/connect.ts'

const hourMs = 3_600_000
const hours = 24
/** Beyond this, the list is shown without trends. */
const answerMsMax = 2_000

/** The last 24 hours of these checks, including this hour; ids of other accounts are left out. */
export const listCheckTrends = async (
  context: Pick<AccountContext, 'sql' | 'clickhouse' | 'now' | 'log'>,
  { accountId }: Pick<Caller, 'accountId'>,
  { query }: { query: { ids: readonly string[] } },
): Promise<CheckTrends | Refusal> => {
  const toMs = (Math.floor(context.now() / hourMs) + 1) * hourMs
  const fromMs = toMs - hours * hourMs
  const checks = await inAccount(context.sql, accountId, (tx) => findChecksOf(tx, accountId, query.ids))
  const deadline = AbortSignal.timeout(answerMsMax)
  const checkIds = checks.map(({ id }) => id)
  const trends = await queryClickHouse(context, accountId, () =>
    trendsOf(context.clickhouse, { checkIds, fromMs, toMs }, deadline),
  ).catch((error: unknown) => {
    if (!deadline.aborted) throw error
    context.log.warn({ err: error }, 'ClickHouse did not answer in time; trends are temporarily unavailable')
    return refuse('SV-9002', { retryAfterSeconds: 5 })
  })
  if (isRefusal(trends)) return trends
  return { from: new Date(fromMs).toISOString(), to: new Date(toMs).toISOString(), trends }
}

/**
 * The readings of these checks in whole hours of [fromMs, toMs), all regions together, in one query of the
 * hour rollup. A check without readings has no trend.
 * @param signal aborts the query, even if the server does not answer
 */
export const trendsOf = async (
  clickhouse: ClickHouse,
  { checkIds, fromMs, toMs }: { checkIds: readonly string[]; fromMs: number; toMs: number },
  signal: AbortSignal,
): Promise<CheckTrend[]> => {
  if (checkIds.length === 0) return []
  const result = await clickhouse.query({
    query: `
      select toString(check_id) as id, toUnixTimestamp(at) as seconds, grouping(at) as isWhole,
        sum(up) as ups, sum(down) as downs,
        quantilesTDigestMerge(0.5, 0.95, 0.99)(latency)[1] as p50
      from readings_hour
      where check_id in {ids:Array(UUID)}
        and at >= toDateTime({from:UInt32}, 'UTC') and at < toDateTime({to:UInt32}, 'UTC')
      group by grouping sets ((check_id, at), (check_id))
      order by id, seconds`,
    query_params: { ids: checkIds, from: fromMs / 1000, to: toMs / 1000 },
    format: 'JSONEachRow',
    abort_signal: signal,
  })
  const trends = new Map<string, CheckTrend>()
  for (const { id, seconds, isWhole, ups: up, downs: down, p50 } of await result.json<Row>()) {
    const p50Ms = up === 0 || p50 === null ? null : Math.round(p50 * 10) / 10
    const trend = trends.get(id) ?? { checkId: id, p50Ms: null, up: 0, down: 0, hours: [] }
    if (isWhole === 1) Object.assign(trend, { p50Ms, up, down })
    else trend.hours.push({ at: new Date(seconds * 1000).toISOString(), p50Ms, up, down })
    trends.set(id, trend)
  }
  return [...trends.values()]
}

type Row = {
  id: string
  seconds: number
  isWhole: number
  ups: number
  downs: number
  /** null: no reading was up. */
  p50: number | null
}
