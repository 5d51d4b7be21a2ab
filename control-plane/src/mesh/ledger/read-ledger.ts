import { isRefusal, refuse, type Refusal } from '@probe-mesh/contracts/schema/refusal'
import type { Revision } from '@probe-mesh/contracts/reading/slots'
import { revisionColumns } from '../../records/check/check-revisions-store.ts'
import type { AccountContext } from '../../accounts/operations/context.ts'
import { queryClickHouse } from '../../accounts/operations/query-clickhouse.ts'
import type { Transaction } from '../../stores/postgres/connect.ts'
import { inAccount } from '../../stores/postgres/in-account.ts'

export type LedgerContext = Pick<AccountContext, 'sql' | 'clickhouse' | 'now' | 'log'>

const minuteMs = 60_000
/** Readings of younger slots may still be in flight. */
const settledMs = 2 * minuteMs
const answerMsMax = 3_000

/** The newest whole minute whose readings are stored, unless they were lost. */
export const settledMinuteMs = (nowMs: number): number =>
  Math.floor((nowMs - settledMs) / minuteMs) * minuteMs

/** Compares regions or names, with the same order everywhere. */
export const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)

/**
 * The account's revisions in [fromMs, toMs), and what ClickHouse stores of their checks. SV-9002 when
 * ClickHouse does not answer in time.
 */
export const readLedger = async <T>(
  context: LedgerContext,
  accountId: string,
  { fromMs, toMs }: { fromMs: number; toMs: number },
  query: (checkIds: readonly string[], signal: AbortSignal) => Promise<T>,
): Promise<{ revisions: NamedRevision[]; isCut: boolean; stored: T } | Refusal> => {
  const found = await inAccount(context.sql, accountId, (tx) =>
    findAccountRevisions(tx, accountId, fromMs, toMs),
  )
  const checkIds = [...new Set(found.revisions.map(({ checkId }) => checkId))]
  const deadline = AbortSignal.timeout(answerMsMax)
  const stored = await queryClickHouse(context, accountId, () => query(checkIds, deadline)).catch(
    (error: unknown) => {
      if (!deadline.aborted) throw error
      context.log.warn({ err: error }, 'clickhouse did not answer in time')
      return refuse('SV-9002', { retryAfterSeconds: 5 })
    },
  )
  return isRefusal(stored) ? stored : { ...found, stored }
}

/** The most revisions read for one ledger: as many ids as one ClickHouse query accepts. */
const accountRevisionsMax = 20_000

export type NamedRevision = Revision & { checkId: string; name: string }

/**
 * The revisions of an account's checks that were valid in [fromMs, toMs), and whether there are more than the
 * limit. Heartbeats are not probed, so they are left out.
 */
const findAccountRevisions = async (
  tx: Transaction,
  accountId: string,
  fromMs: number,
  toMs: number,
): Promise<{ revisions: NamedRevision[]; isCut: boolean }> => {
  const rows = await tx<NamedRevision[]>`
    select c.id as "checkId", c.name, ${revisionColumns(tx)}
    from checks c join check_revisions r on r.check_id = c.id
    where c.account_id = ${accountId} and c.type <> 'heartbeat'
      and r.valid_from < ${new Date(toMs)}
      and (r.valid_to is null or r.valid_to > ${new Date(fromMs)})
    order by c.id, r.revision limit ${accountRevisionsMax + 1}`
  return { revisions: rows.slice(0, accountRevisionsMax), isCut: rows.length > accountRevisionsMax }
}
