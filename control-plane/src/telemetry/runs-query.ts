import { measuredColumns, measuredIn, type MeasuredRow } from '../readings/measured-row.ts'
import type { ClickHouse } from '../stores/clickhouse/connect.ts'
import type { Run } from './run-spans.ts'

export const minuteMs = 60_000
/** Readings that are older than this when they arrive are not pushed: a scan of all readings would be needed. */
const lateMsMax = 3 * 3_600_000

type Span = { checkIds: readonly string[]; fromMs: number; toMs: number }

const conditions = `check_id in {checkIds:Array(UUID)}
  and slot >= fromUnixTimestamp64Milli({since:Int64})
  and received_at >= fromUnixTimestamp64Milli({from:Int64}) and received_at < fromUnixTimestamp64Milli({to:Int64})`

const paramsOf = ({ checkIds, fromMs, toMs }: Span) => ({
  checkIds,
  from: fromMs,
  to: toMs,
  since: fromMs - lateMsMax,
})

/** How many runs of these checks are stored, by the minute in which they arrived. */
export const countRuns = async (
  clickhouse: ClickHouse,
  span: Span,
  signal: AbortSignal,
): Promise<Map<number, number>> => {
  const result = await clickhouse.query({
    query: `
      select toUnixTimestamp(toStartOfMinute(received_at)) as minute, count() as runs
      from readings_raw where ${conditions} group by minute`,
    query_params: paramsOf(span),
    format: 'JSONEachRow',
    abort_signal: signal,
  })
  const rows = await result.json<{ minute: number; runs: number }>()
  return new Map(rows.map(({ minute, runs }) => [minute * 1000, Number(runs)]))
}

/** The sort key of the last run of a page. */
export type RunPosition = Pick<Run, 'checkId' | 'region' | 'slot' | 'number'> & { kindNumber: number }

type Row = MeasuredRow & {
  check_id: string
  region: Run['region']
  slot_ms: number
  kind: Run['kind']
  kind_number: number
  number: number
  verdict: Run['verdict']
  cause: string
  reason: string | null
  measured_ms: number
  attempts: number
  address: string
  agent: string
}

/** Runs that arrived in a span of time, in pages, by the sort key of the table. */
export const readRuns = async (
  clickhouse: ClickHouse,
  { after, limit, ...span }: Span & { after: RunPosition | null; limit: number },
  signal: AbortSignal,
): Promise<{ runs: Run[]; next: RunPosition | null }> => {
  const further =
    after === null
      ? ''
      : `and (check_id, region, slot, toInt8(kind), number) > ({checkId:UUID}, {region:String},
          fromUnixTimestamp64Milli({slot:Int64}), {kindNumber:Int8}, {number:UInt32})`
  const result = await clickhouse.query({
    query: `
      select check_id, region, toUnixTimestamp64Milli(slot) as slot_ms, kind, toInt8(kind) as kind_number, number,
        verdict, cause, reason, ${measuredColumns}, toUnixTimestamp64Milli(measured_at) as measured_ms, attempts,
        address, agent
      from readings_raw where ${conditions} ${further}
      order by check_id, region, slot, toInt8(kind), number limit {limit:UInt32}`,
    query_params: { ...paramsOf(span), limit, ...after },
    format: 'JSONEachRow',
    abort_signal: signal,
  })
  const rows = await result.json<Row>()
  const last = rows.length < limit ? undefined : rows.at(-1)
  return {
    runs: rows.map(toRun),
    next:
      last === undefined
        ? null
        : {
            checkId: last.check_id,
            region: last.region,
            slot: last.slot_ms,
            kindNumber: last.kind_number,
            number: last.number,
          },
  }
}

const toRun = (row: Row): Run => ({
  checkId: row.check_id,
  region: row.region,
  slot: row.slot_ms,
  kind: row.kind,
  number: row.number,
  verdict: row.verdict,
  cause: row.cause,
  reason: row.reason,
  ...measuredIn(row),
  measuredAt: row.measured_ms,
  attempts: row.attempts,
  address: row.address === '' ? null : row.address,
  agent: row.agent,
})
