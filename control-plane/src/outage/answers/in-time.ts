import { isClickHouseAway } from '../../stores/clickhouse/connect.ts'
import { AnswerTimeout, withDeadline } from '@probe-mesh/runtime/deadline'

/** Whoever wants to know whether a service is down waits no longer for its past. */
const pastMsMax = 3_000

/**
 * What a page has to say of the past besides: null while the time series is away or slow.
 * @throws anything else: a statement that ClickHouse refuses is our bug
 */
export const inTime = async <T>(read: Promise<T>): Promise<T | null> => {
  try {
    return await withDeadline(read, pastMsMax)
  } catch (error) {
    if (error instanceof AnswerTimeout || isClickHouseAway(error)) return null
    throw error
  }
}
