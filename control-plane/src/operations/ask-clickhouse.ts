import { refuse } from '@probe-mesh/contracts/schema/refusal'
import type { Refusal } from '@probe-mesh/contracts/schema/refusal'
import { inTurn, StoreBusy } from '../stores/account-turns.ts'
import { isClickHouseUnavailable } from '../stores/clickhouse/connect.ts'
import type { AccountContext } from './context.ts'

const retryAfterSeconds = 5
const tooManyQueries = 'Too many queries wait at the moment. Try again shortly.'

/**
 * Asks ClickHouse when it is the account's turn. Its absence is an expected no, and so are too many who wait
 * (SV-9002).
 * @throws anything else: a statement that ClickHouse refuses is our bug, and repeating it heals nothing
 */
export const askClickHouse = async <T>(
  context: Pick<AccountContext, 'clickhouse' | 'log'>,
  accountId: string,
  ask: () => Promise<T>,
): Promise<T | Refusal> => {
  try {
    return await inTurn(context.clickhouse, accountId, ask)
  } catch (error) {
    if (error instanceof StoreBusy) {
      return refuse('SV-9002', { message: tooManyQueries, retryAfterSeconds })
    }
    if (!isClickHouseUnavailable(error)) throw error
    context.log.warn({ err: error }, 'clickhouse is away')
    return refuse('SV-9002', { retryAfterSeconds })
  }
}
