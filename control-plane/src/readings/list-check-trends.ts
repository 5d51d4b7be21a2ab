import type { CheckTrends } from '@probe-mesh/contracts/check/check-list'
import { isRefusal, refuse } from '@probe-mesh/contracts/schema/refusal'
import type { Refusal } from '@probe-mesh/contracts/schema/refusal'
import { trendsOf } from './trends-query.ts'
import { findChecksOf } from '../check-record/checks-store.ts'
import { inAccount } from '../stores/postgres/in-account.ts'
import { askClickHouse } from '../operations/ask-clickhouse.ts'
import type { AccountContext, Caller } from '../operations/context.ts'

const hourMs = 3_600_000
const hours = 24
/** A list is read without its trends rather than late. */
const answerMsMax = 2_000

/** The last 24 hours of these checks, this one included; ids that the account does not have are left out. */
export const listCheckTrends = async (
  context: Pick<AccountContext, 'sql' | 'clickhouse' | 'now' | 'log'>,
  { accountId }: Pick<Caller, 'accountId'>,
  { query }: { query: { ids: readonly string[] } },
): Promise<CheckTrends | Refusal> => {
  const toMs = (Math.floor(context.now() / hourMs) + 1) * hourMs
  const fromMs = toMs - hours * hourMs
  const checks = await inAccount(context.sql, accountId, (tx) =>
    findChecksOf(tx, accountId, query.ids),
  )
  const deadline = AbortSignal.timeout(answerMsMax)
  const checkIds = checks.map(({ id }) => id)
  const trends = await askClickHouse(context, accountId, () =>
    trendsOf(context.clickhouse, { checkIds, fromMs, toMs }, deadline),
  ).catch((error: unknown) => {
    if (!deadline.aborted) throw error
    context.log.warn({ err: error }, 'clickhouse did not answer in time')
    return refuse('SV-9002', { retryAfterSeconds: 5 })
  })
  if (isRefusal(trends)) return trends
  return { from: new Date(fromMs).toISOString(), to: new Date(toMs).toISOString(), trends }
}
