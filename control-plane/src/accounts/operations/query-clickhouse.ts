import { refuse, type Refusal } from '@probe-mesh/contracts/schema/refusal'
import { inTurn, StoreBusy } from '@probe-mesh/runtime/account-turns'
import type { AccountContext } from './context.ts'
import { faultsOf } from '../../stores/faults.ts'
import { isStoreRefusing } from '../../stores/store-fault.ts'

const retryAfterSeconds = 5
const unavailable = `ClickHouse is temporarily unavailable. Retry in ${retryAfterSeconds} s.`
const tooManyQueries = `Too many queries wait for ClickHouse. Retry in ${retryAfterSeconds} s.`

/**
 * Queries ClickHouse when it is the account's turn. SV-9002 if ClickHouse is unavailable or too many queries
 * wait.
 * @throws any other error: a refused statement is a bug, and a retry does not help
 */
export const queryClickHouse = async <T>(
  context: Pick<AccountContext, 'clickhouse' | 'log'>,
  accountId: string,
  query: () => Promise<T>,
): Promise<T | Refusal> => {
  try {
    return await inTurn(context.clickhouse, accountId, query)
  } catch (error) {
    if (error instanceof StoreBusy) {
      return refuse('SV-9002', { message: tooManyQueries, retryAfterSeconds })
    }
    if (!isStoreRefusing(error)) throw error
    faultsOf(context.log).refused(error)
    return refuse('SV-9002', { message: unavailable, retryAfterSeconds })
  }
}
