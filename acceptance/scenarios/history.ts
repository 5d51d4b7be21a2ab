import { catalogChecksOf } from '@probe-mesh/control-plane/src/catalog/catalog-checks'
import { connectClickHouse } from '@probe-mesh/control-plane/stores/clickhouse/connect'
import { insertReadings, type ReadingRow } from '@probe-mesh/control-plane/src/readings/insert-readings'
import type { Catalog } from '@probe-mesh/contracts/outage/catalog'
import { noTimings } from '@probe-mesh/contracts/reading/reading-details'

/** Past latency of a service. */
export type Usual = {
  slug: string
  regions: readonly string[]
  latencyMs: number
  /** Readings in each hour and region. */
  perHour: number
}

const hourMs = 3_600_000
const days = 7
/** Hours around the current one, because acts advance the clock. */
const hours = [-1, 0, 1, 2]

/** Stores the last seven days of some services, at the hours around `nowMs`. */
export const storeHistory = async (
  clickhouseUrl: string,
  catalog: Catalog,
  usual: readonly Usual[],
  nowMs: number,
): Promise<void> => {
  const checks = catalogChecksOf(catalog)
  const rows = usual.flatMap((one) => {
    const checkIds = checks.filter(({ slug }) => slug === one.slug).map(({ checkId }) => checkId)
    return checkIds.flatMap((checkId) => rowsOf(checkId, one, nowMs))
  })
  const clickhouse = connectClickHouse(clickhouseUrl)
  try {
    await insertReadings(clickhouse, rows, 'history')
  } finally {
    await clickhouse.close()
  }
}

const rowsOf = (checkId: string, usual: Usual, nowMs: number): ReadingRow[] => {
  const hourAt = Math.floor(nowMs / hourMs) * hourMs
  const count = Array.from({ length: usual.perHour }, (_, index) => index)
  return Array.from({ length: days }, (_, day) => day + 1).flatMap((day) =>
    hours.flatMap((hour) =>
      usual.regions.flatMap((region) =>
        count.map((index) => {
          const stepMs = Math.floor(hourMs / usual.perHour)
          const atMs = hourAt - day * 24 * hourMs + hour * hourMs + index * stepMs
          return rowOf(checkId, region, atMs, usual.latencyMs)
        }),
      ),
    ),
  )
}

const rowOf = (checkId: string, region: string, atMs: number, latencyMs: number): ReadingRow => ({
  reading: {
    checkId,
    region,
    slot: atMs,
    kind: 'scheduled',
    number: 0,
    verdict: 'up',
    fault: 'none',
    cause: 'ok',
    reason: null,
    httpStatus: 200,
    latencyMs,
    timings: noTimings,
    measuredAt: atMs,
    attempts: 1,
    lateMs: 0,
    address: '127.0.0.1',
    certificateExpiresAt: null,
  },
  agent: `${region}-1`,
  receivedAtMs: atMs,
  rawDays: 30,
  hourDays: 400,
})
