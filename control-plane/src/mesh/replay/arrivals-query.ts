import { noTimings } from '@probe-mesh/contracts/reading/reading-details'
import type { Reading } from '@probe-mesh/contracts/reading/reading'
import type { ClickHouse } from '../../stores/clickhouse/connect.ts'
import { tenths } from '../../readings/measured-row.ts'
import type { ArrivedReading } from './replay.ts'

/** Readings of one page; more than that in a page are too many to replay. */
export const pageReadingsMax = 40_000

/**
 * The readings of a check with slots in [fromMs, toMs), of every kind and in no order, with what the state machine
 * looks at, as the text of their rows: one more than `pageReadingsMax` at most.
 */
export const findArrivals = async (
  clickhouse: ClickHouse,
  { checkId, fromMs, toMs }: { checkId: string; fromMs: number; toMs: number },
): Promise<string> => {
  const result = await clickhouse.query({
    query: `
      select region, toUnixTimestamp64Milli(slot), kind, number, verdict, cause, reason, latency_ms,
        toUnixTimestamp64Milli(measured_at), toUnixTimestamp64Milli(received_at), proven
      from readings_raw
      where check_id = {checkId:UUID}
        and slot >= fromUnixTimestamp64Milli({from:Int64}) and slot < fromUnixTimestamp64Milli({to:Int64})
      limit {limit:UInt32}`,
    query_params: { checkId, from: fromMs, to: toMs, limit: pageReadingsMax + 1 },
    format: 'JSONCompactEachRow',
  })
  return result.text()
}

/** The readings of a page, from the text of its rows. */
export const readArrivals = (checkId: string, text: string): ArrivedReading[] =>
  text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => toArrival(checkId, JSON.parse(line) as Row))

type Row = [
  region: string,
  slotMs: number,
  kind: Reading['kind'],
  number: number,
  verdict: Reading['verdict'],
  cause: string,
  reason: string | null,
  latencyMs: number | null,
  measuredMs: number,
  receivedMs: number,
  proven: boolean,
]

const toArrival = (checkId: string, row: Row): ArrivedReading => {
  const [region, slot, kind, number, verdict, cause, reason, latencyMs, measuredAt, atMs, proven] = row
  const reading: Reading = {
    ...unread,
    checkId,
    region,
    slot,
    kind,
    number,
    verdict,
    cause,
    reason,
    latencyMs: tenths(latencyMs),
    measuredAt,
    proven,
  }
  return { reading, atMs }
}

/** What a status does not depend on. */
const unread = {
  fault: 'none',
  httpStatus: null,
  timings: noTimings,
  attempts: 1,
  lateMs: 0,
  address: null,
  certificateExpiresAt: null,
} as const
