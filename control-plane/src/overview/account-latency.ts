import { latencyChecksMax } from '@probe-mesh/contracts/overview/overview'
import type { ClickHouse } from '../stores/clickhouse/connect.ts'
import type { Transaction } from '../stores/postgres/connect.ts'

const hourMs = 3_600_000

/** The latency of an account's checks in the last hour, of up readings. */
export type AccountLatency = {
  p50Ms: number | null
  p95Ms: number | null
  byRegion: ReadonlyMap<string, number>
  /** The number of checks that were read. */
  checks: number
  atMs: number
}

/** The checks whose latency represents the account: all, or the same arbitrary ones each time. */
export const findLatencyChecks = async (tx: Transaction, accountId: string): Promise<string[]> => {
  const rows = await tx<{ id: string }[]>`
    select id from checks where account_id = ${accountId} and not paused and type <> 'heartbeat'
    order by md5(id::text) limit ${latencyChecksMax}`
  return rows.map(({ id }) => id)
}

/**
 * One query of raw readings: the sort key of the rollups begins with the check, so that an hour of them costs
 * as much as a month, and each of their rows a digest.
 * @param signal aborts the query, even if the server does not answer
 */
export const accountLatencyOf = async (
  clickhouse: ClickHouse,
  checkIds: readonly string[],
  nowMs: number,
  signal: AbortSignal,
): Promise<AccountLatency> => {
  const result = await clickhouse.query({
    query: `
      select region, grouping(region) as isAll, quantilesTDigest(0.5, 0.95)(latency_ms) as quantiles
      from readings_raw
      where check_id in {ids:Array(UUID)} and kind = 'scheduled' and verdict = 'up' and latency_ms is not null
        and slot >= fromUnixTimestamp64Milli({from:Int64}) and slot <= fromUnixTimestamp64Milli({to:Int64})
      group by grouping sets ((region), ())`,
    query_params: { ids: checkIds, from: nowMs - hourMs, to: nowMs },
    format: 'JSONEachRow',
    abort_signal: signal,
  })
  const rows = await result.json<{ region: string; isAll: number; quantiles: (number | null)[] }>()
  const whole = rows.find(({ isAll }) => isAll === 1)?.quantiles ?? []
  return {
    p50Ms: tenths(whole[0]),
    p95Ms: tenths(whole[1]),
    byRegion: new Map(
      rows.flatMap(({ region, isAll, quantiles }) => {
        const p50Ms = tenths(quantiles[0])
        return isAll === 1 || p50Ms === null ? [] : [[region, p50Ms]]
      }),
    ),
    checks: checkIds.length,
    atMs: nowMs,
  }
}

const tenths = (ms: number | null | undefined): number | null =>
  ms === null || ms === undefined ? null : Math.round(ms * 10) / 10
