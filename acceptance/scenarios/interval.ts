import { staleAfterMs } from '@probe-mesh/control-plane/src/status/freshness'

/**
 * The interval of all measurements: `SCENARIO_SECONDS`, as rules may hold at one interval only. At 1 s an
 * attempt's deadline of 0.4 s would be too short on a busy processor.
 */
export const intervalSeconds = Number(process.env['SCENARIO_SECONDS'] ?? 2)
export const fleetStaleAfterMs = staleAfterMs(intervalSeconds)
/** Long enough for everything measured to be stale, and for cached history and weather to expire. */
export const longMs = Math.max(62_000, fleetStaleAfterMs + 2_000)
