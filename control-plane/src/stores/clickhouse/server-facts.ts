import type { ClickHouse } from './connect.ts'

/** A server, or any server of a cluster. */
type Server = Pick<ClickHouse, 'query'>

export const clickhouseVersion = async (clickhouse: Server): Promise<string> => {
  const rows = await clickhouse.query({
    query: 'select version() as version',
    format: 'JSONEachRow',
  })
  const [row] = await rows.json<{ version: string }>()
  return row?.version ?? 'unknown'
}

/** The server's clock, Unix ms. */
export const clickhouseNowMs = async (clickhouse: Server): Promise<number> => {
  const rows = await clickhouse.query({
    query: 'select toUnixTimestamp64Milli(now64(3)) as now',
    format: 'JSONEachRow',
  })
  const [row] = await rows.json<{ now: number }>()
  if (row === undefined) throw new Error('ClickHouse returned no time')
  return row.now
}

/** `path`: on the server's machine. */
export type Disk = { name: string; path?: string; freeBytes: number; totalBytes: number }

/** The disks of its tables. */
export const clickhouseDisks = async (clickhouse: Server): Promise<Disk[]> => {
  const rows = await clickhouse.query({
    query: `select name, path, unreserved_space as freeBytes, total_space as totalBytes
      from system.disks where total_space > 0 order by name`,
    format: 'JSONEachRow',
  })
  return rows.json<Disk>()
}

/** How readings of the last minutes arrived. Times are Unix ms; null: none arrived. */
export type ArrivalFacts = {
  newestReceivedAtMs: number | null
  /** Their delay from the measurement, by the agent's clock, to the stream. */
  delayP95Ms: number | null
  /** Parts of the table partition with the most parts. A high number means that merging is behind. */
  partsMax: number
}

const arrivalMinutes = 10

export const arrivalFacts = async (clickhouse: Server): Promise<ArrivalFacts> => {
  const rows = await clickhouse.query({
    query: `select count() as readings, toUnixTimestamp64Milli(max(received_at)) as newest,
        quantile(0.95)(dateDiff('millisecond', measured_at, received_at)) as delay,
        (select max(parts) from (
          select count() as parts from system.parts
          where database = currentDatabase() and active group by table, partition)) as parts
      from readings_raw
      where slot > now() - interval {minutes:UInt8} minute and kind = 'scheduled'`,
    query_params: { minutes: arrivalMinutes },
    format: 'JSONEachRow',
  })
  const [row] = await rows.json<{
    readings: number
    newest: number
    delay: number | null
    parts: number | null
  }>()
  const came = row !== undefined && row.readings > 0
  return {
    newestReceivedAtMs: came ? row.newest : null,
    delayP95Ms: came ? row.delay : null,
    partsMax: row?.parts ?? 0,
  }
}

/** Readings of one agent that were not measured, because their target is not allowed to it. */
export type NotAllowed = { region: string; agent: string; readings: number }

/** Of the last minutes, by agent. */
export const notAllowedFacts = async (clickhouse: Server): Promise<NotAllowed[]> => {
  const rows = await clickhouse.query({
    query: `select region, agent, count() as readings from readings_raw
      where slot > now() - interval {minutes:UInt8} minute and verdict = 'unmeasured' and cause = 'unsafe_target'
      group by region, agent order by readings desc, agent limit 100`,
    query_params: { minutes: arrivalMinutes },
    format: 'JSONEachRow',
  })
  return rows.json<NotAllowed>()
}
