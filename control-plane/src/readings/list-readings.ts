import type { StoredReading } from '@probe-mesh/contracts/check/check'
import { limits } from '@probe-mesh/contracts/schema/limits'
import { isRefusal, refuse } from '@probe-mesh/contracts/schema/refusal'
import type { FieldProblem, Refusal } from '@probe-mesh/contracts/schema/refusal'
import type { RouteInput } from '@probe-mesh/contracts/api/routes'
import { listReadings as listStoredReadings } from './readings-query.ts'
import { findCheck } from '../check-record/checks-store.ts'
import { inAccount } from '../stores/postgres/in-account.ts'
import { askClickHouse } from '../operations/ask-clickhouse.ts'
import type { AccountContext, Caller } from '../operations/context.ts'
import { formatCursor, parseCursor } from './reading-cursor.ts'

/** Readings of every kind whose slots lie in [from, to), newest first, a page at a time (S-716). */
export const listReadings = async (
  context: Pick<AccountContext, 'sql' | 'clickhouse' | 'now' | 'log'>,
  caller: Caller,
  input: RouteInput<'listReadings'>,
): Promise<{ readings: StoredReading[]; nextCursor: string | null } | Refusal> => {
  const { from, to, region, limit, cursor } = input.query
  const before = cursor === undefined ? undefined : parseCursor(cursor)
  const problems: FieldProblem[] = []
  if (before === null) problems.push({ path: 'cursor', message: 'is not a cursor of this API' })
  if (from !== undefined && to !== undefined && from >= to) {
    problems.push({ path: 'from', message: 'must be before to' })
  }
  if (problems.length > 0) return refuse('SV-2001', { errors: problems })

  const check = await inAccount(context.sql, caller.accountId, (tx) =>
    findCheck(tx, caller.accountId, input.params.id),
  )
  if (check === null) return refuse('SV-3001')
  const page = await askClickHouse(context, caller.accountId, () =>
    listStoredReadings(context.clickhouse, {
      checkId: check.id,
      region,
      fromMs: from,
      // of an agent whose clock is ahead: they show up when their time has come
      toMs: Math.min(to ?? Number.POSITIVE_INFINITY, context.now() + 1),
      limit: limit ?? limits.readingsPageDefault,
      before: before ?? undefined,
    }),
  )
  if (isRefusal(page)) return page
  return {
    readings: page.readings,
    nextCursor: page.next === null ? null : formatCursor(page.next),
  }
}
