import type { StoredReading } from '@probe-mesh/contracts/check/check'

/** What a row of `readings_raw` has of a measurement. */
export type MeasuredRow = {
  http_status: number
  latency_ms: number | null
  dns_ms: number | null
  connect_ms: number | null
  tls_ms: number | null
  ttfb_ms: number | null
  transfer_ms: number | null
  details: string
}

export const measuredColumns =
  'http_status, latency_ms, dns_ms, connect_ms, tls_ms, ttfb_ms, transfer_ms, details'

/** The measurement of a row, as the agent sent it. */
export const measuredIn = (
  row: MeasuredRow,
): Pick<StoredReading, 'httpStatus' | 'latencyMs' | 'timings' | 'details'> => ({
  httpStatus: row.http_status === 0 ? null : row.http_status,
  latencyMs: tenths(row.latency_ms),
  timings: {
    dnsMs: tenths(row.dns_ms),
    connectMs: tenths(row.connect_ms),
    tlsMs: tenths(row.tls_ms),
    ttfbMs: tenths(row.ttfb_ms),
    transferMs: tenths(row.transfer_ms),
  },
  details: row.details === '' ? null : (JSON.parse(row.details) as StoredReading['details']),
})

/** Float32 has more digits than were measured: agents round to 0.1 ms. */
export const tenths = (ms: number | null): number | null => (ms === null ? null : Math.round(ms * 10) / 10)
