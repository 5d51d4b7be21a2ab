import { uuidv7 } from '@probe-mesh/contracts/schema/ids'
import { connectClickHouse, type ClickHouse } from '@probe-mesh/control-plane/stores/clickhouse/connect'
import type { Sql } from '@probe-mesh/control-plane/stores/postgres/connect'

const [hourMs, dayMs] = [3_600_000, 86_400_000]
const historyDays = 90
/** Individual readings of the last hours; older time has only hourly rollups. */
const rawHours = 26
const reason = 'expected status 200-299, got 503'

/** A period of a check's history, by the time since its start. */
type Stretch = { status: 'down' | 'degraded' | 'stale'; hoursAgo: number; hours: number }

export type Past = {
  checkId: string
  intervalSeconds: number
  regions: readonly string[]
  /** Oldest first, without overlaps. */
  stretches: readonly Stretch[]
}

/**
 * Writes 90 days of a check directly into the databases, as if it had been measured: its revision, its flips,
 * hourly rollups, and the readings of the last day. A stale period has no data; in a degraded one, two
 * regions fail.
 */
export const writePast = async (
  stores: { sql: Sql; clickhouseUrl: string },
  past: Past,
  nowMs: number,
): Promise<void> => {
  const startMs = Math.floor(nowMs / hourMs) * hourMs - historyDays * dayMs
  await writeFlips(stores.sql, past, startMs, nowMs)
  const clickhouse = connectClickHouse(stores.clickhouseUrl)
  try {
    await writeReadings(clickhouse, past, startMs, nowMs)
  } finally {
    await clickhouse.close()
  }
}

const writeFlips = async (
  sql: Sql,
  { checkId, stretches }: Past,
  startMs: number,
  nowMs: number,
): Promise<void> => {
  const start = new Date(startMs)
  await sql`update checks set created_at = ${start}, valid_from = ${start} where id = ${checkId}`
  await sql`update check_revisions set valid_from = ${start} where check_id = ${checkId}`
  const moments = stretches.flatMap(({ status, hoursAgo, hours }) => {
    const fromMs = nowMs - hoursAgo * hourMs
    return [
      { to: status, atMs: fromMs },
      { to: 'operational', atMs: fromMs + hours * hourMs },
    ]
  })
  const flips = [{ to: 'operational', atMs: startMs }, ...moments]
  let from = 'unknown'
  for (const [index, { to, atMs }] of flips.entries()) {
    // below 0, which the assessor never uses
    await sql`
      insert into flips (id, check_id, version, from_status, to_status, reason, at)
      values (${uuidv7(atMs)}, ${checkId}, ${index - flips.length}, ${from}, ${to},
        ${to === 'down' ? reason : null}, ${new Date(atMs)})`
    from = to
  }
}

/** SQL that is true for an instant within one of the periods. @param at in seconds */
const inAny = (stretches: readonly Stretch[], at: string, nowMs: number): string =>
  stretches
    .map(({ hoursAgo, hours }) => {
      const from = Math.floor((nowMs - hoursAgo * hourMs) / 1000)
      return `(${at} >= ${from} and ${at} < ${from + hours * 3600})`
    })
    .join(' or ') || 'false'

const writeReadings = async (
  clickhouse: ClickHouse,
  { checkId, intervalSeconds, regions, stretches }: Past,
  startMs: number,
  nowMs: number,
): Promise<void> => {
  const of = (status: Stretch['status']) => stretches.filter((each) => each.status === status)
  const rawFrom = Math.floor(nowMs / hourMs) * 3600 - rawHours * 3600
  const list = `[${regions.map((region) => `'${region}'`).join(', ')}]`
  const half = `indexOf(${list}, region) > ${Math.floor(regions.length / 2)}`
  const isDown = (at: string): string =>
    `(${inAny(of('down'), at, nowMs)} or (${half} and (${inAny(of('degraded'), at, nowMs)})))`
  const isMeasured = (at: string): string => `not (${inAny(of('stale'), at, nowMs)})`
  /** A latency from a hash: higher by day than by night, different per region, and varying. */
  const latency = (at: string): string =>
    `toFloat32(60 + 45 * indexOf(${list}, region) + 25 * sin(${at} / 13751)
      + (cityHash64(${at}, region) % 300) / 10)`

  const hours = (rawFrom * 1000 - startMs) / hourMs
  const perHour = 3600 / intervalSeconds
  await clickhouse.command({
    query: `insert into readings_hour
      select toUUID('${checkId}'), region, toDateTime(at, 'UTC') as hour,
        sum(if(failed, 0, share)), sum(if(failed, share, 0)), 0, 0,
        quantilesTDigestStateIf(0.5, 0.95, 0.99)(slow, not failed), 800
      from (
        select arrayJoin(${list}) as region, ${startMs / 1000} + intDiv(number, 12) * 3600 as at,
          at + (number % 12) * 300 as moment, ${perHour / 12} as share,
          ${isDown('moment')} as failed, ${latency('moment')} as slow
        from numbers(${hours * 12}) where ${isMeasured('moment')})
      group by region, hour settings max_partitions_per_insert_block = 0`,
  })
  const slots = Math.floor((nowMs / 1000 - rawFrom) / intervalSeconds)
  await clickhouse.command({
    query: `insert into readings_raw (check_id, region, slot, kind, number, verdict, fault, cause,
        reason, http_status, latency_ms, dns_ms, connect_ms, tls_ms, ttfb_ms, transfer_ms, attempts,
        late_ms, address, measured_at, received_at, agent, raw_days, hour_days)
      select toUUID('${checkId}'), region, toDateTime64(at, 3, 'UTC') as slot, 'scheduled', 0,
        if(failed, 'down', 'up'), if(failed, 'target', 'none'), if(failed, 'status', 'none'),
        if(failed, '${reason}', null), if(failed, 503, 200), slow, slow * 0.06, slow * 0.2,
        slow * 0.25, slow * 0.4, slow * 0.09, 1, 3, '127.0.0.1', slot, slot, concat(region, '-local'),
        90, 800
      from (
        select arrayJoin(${list}) as region, ${rawFrom} + number * ${intervalSeconds} as at,
          ${isDown('at')} as failed, ${latency('at')} as slow
        from numbers(${slots}) where ${isMeasured('at')})
      settings max_partitions_per_insert_block = 0`,
  })
}
