import type { Lateness } from '@probe-mesh/contracts/mesh/mesh'
import type { Region } from '@probe-mesh/contracts/reading/regions'
import type { ClickHouse } from '../../stores/clickhouse/connect.ts'

type Asked = { checkIds: readonly string[]; fromMs: number; toMs: number }

export type StoredSlots = { checkId: string; region: Region; measured: number; unmeasured: number }

/** Stored scheduled readings of these checks for slots in [fromMs, toMs), both on a minute. */
export const storedSlotsOf = async (
  clickhouse: ClickHouse,
  { checkIds, fromMs, toMs }: Asked,
  signal: AbortSignal,
): Promise<StoredSlots[]> => {
  if (checkIds.length === 0) return []
  const result = await clickhouse.query({
    query: `
      select toString(check_id) as checkId, region,
        toFloat64(sum(up + down + blocked)) as measured, toFloat64(sum(unmeasured)) as none
      from readings_minute
      where check_id in {ids:Array(UUID)}
        and at >= toDateTime({from:UInt32}, 'UTC') and at < toDateTime({to:UInt32}, 'UTC')
      group by checkId, region`,
    query_params: { ids: checkIds, from: fromMs / 1_000, to: toMs / 1_000 },
    format: 'JSONEachRow',
    abort_signal: signal,
  })
  const rows = await result.json<Omit<StoredSlots, 'unmeasured'> & { none: number }>()
  return rows.map(({ none, ...row }) => ({ ...row, unmeasured: none }))
}

/** By hour from the start of the question; an absent hour has none. */
export type StoredHours = {
  checkId: string
  region: Region
  measured: readonly number[]
  unmeasured: readonly number[]
}

/**
 * Stored scheduled readings of these checks for slots in [fromMs, toMs), by hour. Whole hours come from the
 * rollup of hours, those since `newestMs` from the one of minutes.
 */
export const storedHoursOf = async (
  clickhouse: ClickHouse,
  { checkIds, fromMs, newestMs, toMs }: Asked & { newestMs: number },
  signal: AbortSignal,
): Promise<StoredHours[]> => {
  if (checkIds.length === 0) return []
  const counts = (table: string, from: string, to: string): string => `
    select check_id, region, toUInt16(intDiv(toUnixTimestamp(at) - {from:UInt32}, 3600)) as hour,
      sum(up + down + blocked) as measured, sum(unmeasured) as none
    from ${table}
    where check_id in {ids:Array(UUID)}
      and at >= toDateTime({${from}:UInt32}, 'UTC') and at < toDateTime({${to}:UInt32}, 'UTC')
    group by check_id, region, hour`
  const result = await clickhouse.query({
    query: `
      select toString(check_id) as checkId, region, groupArray((hour, toFloat64(measured), toFloat64(none))) as hours
      from (${counts('readings_hour', 'from', 'newest')} union all
        ${counts('readings_minute', 'newest', 'to')})
      group by check_id, region`,
    query_params: { ids: checkIds, from: fromMs / 1_000, newest: newestMs / 1_000, to: toMs / 1_000 },
    format: 'JSONEachRow',
    abort_signal: signal,
  })
  const rows = await result.json<{ checkId: string; region: Region; hours: [number, number, number][] }>()
  return rows.map(({ checkId, region, hours }) => {
    const [measured, unmeasured]: [number[], number[]] = [[], []]
    for (const [hour, count, none] of hours) {
      measured[hour] = count
      unmeasured[hour] = none
    }
    return { checkId, region, measured, unmeasured }
  })
}

/** How late the scheduled readings of these checks began and arrived, by region. */
export const latenessOf = async (
  clickhouse: ClickHouse,
  { checkIds, fromMs, toMs }: Asked,
  signal: AbortSignal,
): Promise<Lateness[]> => {
  if (checkIds.length === 0) return []
  const result = await clickhouse.query({
    query: `
      with dateDiff('millisecond', measured_at, received_at) as arrived
      select region, toFloat64(count()) as readings,
        round(quantile(0.95)(late_ms)) as beganP95Ms, round(max(late_ms)) as beganMaxMs,
        round(quantile(0.95)(arrived)) as arrivedP95Ms, toFloat64(max(arrived)) as arrivedMaxMs
      from readings_raw
      where check_id in {ids:Array(UUID)} and kind = 'scheduled'
        and slot >= toDateTime({from:UInt32}, 'UTC') and slot < toDateTime({to:UInt32}, 'UTC')
      group by region order by region`,
    query_params: { ids: checkIds, from: fromMs / 1_000, to: toMs / 1_000 },
    format: 'JSONEachRow',
    abort_signal: signal,
  })
  return result.json<Lateness>()
}

/**
 * Stored scheduled readings of all checks for slots in [fromMs, toMs), both on a minute, by region. Reads one
 * rollup row for each check, region and minute.
 */
export const storedSlotsByRegion = async (
  clickhouse: ClickHouse,
  fromMs: number,
  toMs: number,
): Promise<Map<Region, { measured: number; unmeasured: number }>> => {
  const result = await clickhouse.query({
    query: `
      select region, sum(up + down + blocked) as measured, sum(unmeasured) as none
      from readings_minute
      where at >= toDateTime({from:UInt32}, 'UTC') and at < toDateTime({to:UInt32}, 'UTC')
      group by region`,
    query_params: { from: Math.floor(fromMs / 1_000), to: Math.floor(toMs / 1_000) },
    format: 'JSONEachRow',
  })
  const rows = await result.json<{ region: Region; measured: string; none: string }>()
  return new Map(
    rows.map(({ region, measured, none }) => [
      region,
      { measured: Number(measured), unmeasured: Number(none) },
    ]),
  )
}
