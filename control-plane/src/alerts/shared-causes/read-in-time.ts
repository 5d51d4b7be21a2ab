import type { Transaction } from '../../stores/postgres/connect.ts'
import { codeOf } from '@probe-mesh/runtime/errors'

/** query_canceled: the statement ran out of time. */
const ranOutOfTime = '57014'

/**
 * Reads within a transaction, for a limited time. A read that takes longer is cancelled and null, and the
 * transaction goes on.
 * @param limit.statements how many statements the read has at most; each gets its part of the time
 */
export const readInTime = async <T>(
  tx: Transaction,
  { msMax, statements }: { msMax: number; statements: number },
  read: (tx: Transaction) => Promise<T>,
): Promise<T | null> => {
  try {
    return (await tx.savepoint(async (within) => {
      await within`select set_config('statement_timeout', ${String(Math.ceil(msMax / statements))}, true)`
      const found = await read(within)
      await within`set local statement_timeout to default`
      return found
    })) as T
  } catch (error) {
    if (codeOf(error) === ranOutOfTime) return null
    throw error
  }
}
