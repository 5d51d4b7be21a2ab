import { ledgerRowsPerPart } from '@probe-mesh/contracts/mesh/mesh'
import type { Ledger, LedgerMinutes } from '@probe-mesh/contracts/mesh/mesh'
import { isRefusal, refuse } from '@probe-mesh/contracts/schema/refusal'
import type { Refusal } from '@probe-mesh/contracts/schema/refusal'
import { latenessOf, storedSlotsOf } from './account-slots-query.ts'
import { ledgerRows, regionLedgers } from './ledger-rows.ts'
import { findAccountRevisions } from './account-revisions-store.ts'
import { inAccount } from '../../stores/postgres/in-account.ts'
import { askClickHouse } from '../../operations/ask-clickhouse.ts'
import type { AccountContext, Caller } from '../../operations/context.ts'

const minuteMs = 60_000
/** Slots younger than this may still be on their way. */
const settledMs = 2 * minuteMs
const latenessMs = 60 * minuteMs
const answerMsMax = 3_000

/** The account's ledger of the time that had settled just now (S-714). */
export const getLedger = async (
  context: Pick<AccountContext, 'sql' | 'clickhouse' | 'now' | 'log'>,
  { accountId }: Pick<Caller, 'accountId'>,
  { query }: { query: { minutes: LedgerMinutes; page: number } },
): Promise<Ledger | Refusal> => {
  const toMs = Math.floor((context.now() - settledMs) / minuteMs) * minuteMs
  const fromMs = toMs - query.minutes * minuteMs
  const latenessFromMs = Math.max(fromMs, toMs - latenessMs)
  const { revisions, isCut } = await inAccount(context.sql, accountId, (tx) =>
    findAccountRevisions(tx, accountId, fromMs, toMs),
  )
  const checkIds = [...new Set(revisions.map(({ checkId }) => checkId))]
  const { clickhouse } = context
  const deadline = AbortSignal.timeout(answerMsMax)
  const asked = await askClickHouse(context, accountId, () =>
    Promise.all([
      storedSlotsOf(clickhouse, { checkIds, fromMs, toMs }, deadline),
      latenessOf(clickhouse, { checkIds, fromMs: latenessFromMs, toMs }, deadline),
    ]),
  ).catch((error: unknown) => {
    if (!deadline.aborted) throw error
    context.log.warn({ err: error }, 'clickhouse did not answer in time')
    return refuse('SV-9002', { retryAfterSeconds: 5 })
  })
  if (isRefusal(asked)) return asked
  const [stored, lateness] = asked
  const rows = ledgerRows(revisions, stored, fromMs, toMs)
  const last = Math.max(1, Math.ceil(rows.length / ledgerRowsPerPart))
  const number = Math.min(query.page, last)
  return {
    from: new Date(fromMs).toISOString(),
    to: new Date(toMs).toISOString(),
    latenessFrom: new Date(latenessFromMs).toISOString(),
    regions: regionLedgers(rows),
    rows: rows.slice((number - 1) * ledgerRowsPerPart, number * ledgerRowsPerPart),
    gaps: rows.filter(({ missing }) => missing > 0).length,
    number,
    last,
    total: rows.length,
    isCut,
    lateness,
  }
}
