import type { ClickHouse } from '../stores/clickhouse/connect.ts'

const hourMs = 3_600_000
const hours = 24

export type Latency = { p50Ms: number | null; p95Ms: number | null }

/**
 * The latency of these checks over all regions, in whole hours of UTC including the current one: 23 to 24 hours. One
 * query of the hour rollup. A check without readings is left out.
 * @param signal aborts the query, even if the server does not answer
 */
export const latenciesOf = async (
  clickhouse: ClickHouse,
  checkIds: readonly string[],
  nowMs: number,
  signal: AbortSignal,
): Promise<Map<string, Latency>> => {
  if (checkIds.length === 0) return new Map()
  const toMs = (Math.floor(nowMs / hourMs) + 1) * hourMs
  const result = await clickhouse.query({
    query: `
      select toString(check_id) as id, sum(up) as ups,
        quantilesTDigestMerge(0.5, 0.95, 0.99)(latency) as quantiles
      from readings_hour
      where check_id in {ids:Array(UUID)}
        and at >= toDateTime({from:UInt32}, 'UTC') and at < toDateTime({to:UInt32}, 'UTC')
      group by check_id`,
    query_params: { ids: checkIds, from: (toMs - hours * hourMs) / 1000, to: toMs / 1000 },
    format: 'JSONEachRow',
    abort_signal: signal,
  })
  const rows = await result.json<{ id: string; ups: number; quantiles: (number | null)[] }>()
  return new Map(
    rows.map(({ id, ups, quantiles: [p50, p95] }) => [
      id,
      { p50Ms: latencyOf(ups, p50), p95Ms: latencyOf(ups, p95) },
    ]),
  )
}

/** Latency is measured on up readings: without any there is none. */
const latencyOf = (ups: number, value: number | null | undefined): number | null =>
  ups === 0 || value === undefined || value === null ? null : Math.round(value * 10) / 10
