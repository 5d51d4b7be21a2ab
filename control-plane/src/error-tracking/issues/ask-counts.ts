import { refuse } from '@probe-mesh/contracts/schema/refusal'
import type { Refusal } from '@probe-mesh/contracts/schema/refusal'
import { askClickHouse } from '../../operations/ask-clickhouse.ts'
import type { AccountContext } from '../../operations/context.ts'

/** A page is read without its counts rather than late. */
const answerMsMax = 2_000

/** Asks ClickHouse for counts of occurrences; where it is away, or does not answer in time: SV-9002. */
export const askCounts = async <T>(
  context: Pick<AccountContext, 'clickhouse' | 'log'>,
  accountId: string,
  ask: (deadline: AbortSignal) => Promise<T>,
): Promise<T | Refusal> => {
  const deadline = AbortSignal.timeout(answerMsMax)
  return askClickHouse(context, accountId, () => ask(deadline)).catch((error: unknown) => {
    if (!deadline.aborted) throw error
    context.log.warn({ err: error }, 'clickhouse did not answer in time')
    return refuse('SV-9002', { retryAfterSeconds: 5 })
  })
}
