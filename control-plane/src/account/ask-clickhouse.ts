import { refuse } from '@probe-mesh/contracts/refusal'
import type { Refusal } from '@probe-mesh/contracts/refusal'
import { isClickHouseAway } from '../clickhouse/connect.ts'
import type { AccountContext } from './context.ts'

const retryAfterSeconds = 5

/**
 * Asks ClickHouse, where its absence is an expected no (SV-9002).
 * @throws anything else: a statement that ClickHouse refuses is our bug, and repeating it heals nothing
 */
export const askClickHouse = async <T>(
  context: Pick<AccountContext, 'log'>,
  ask: () => Promise<T>,
): Promise<T | Refusal> => {
  try {
    return await ask()
  } catch (error) {
    if (!isClickHouseAway(error)) throw error
    context.log.warn({ err: error }, 'clickhouse is away')
    return refuse('SV-9002', { retryAfterSeconds })
  }
}
