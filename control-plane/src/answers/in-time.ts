import { isClickHouseAway } from '../clickhouse/connect.ts'

/** Whoever wants to know whether a service is down waits no longer for its past. */
const pastMsMax = 3_000

/**
 * What a page has to say of the past besides: null while the time series is away or slow.
 * @throws anything else: a statement that ClickHouse refuses is our bug
 */
export const inTime = async <T>(read: Promise<T>): Promise<T | null> => {
  const late = Promise.withResolvers<null>()
  const timer = setTimeout(() => late.resolve(null), pastMsMax)
  try {
    return await Promise.race([read, late.promise])
  } catch (error) {
    if (!isClickHouseAway(error)) throw error
    return null
  } finally {
    clearTimeout(timer)
  }
}
