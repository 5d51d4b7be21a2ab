import { ledgerRowsPerPart } from '@probe-mesh/contracts/mesh/mesh'
import type { Ledger, LedgerMinutes, LedgerRow, RegionLedger } from '@probe-mesh/contracts/mesh/mesh'
import { isRefusal, refuse } from '@probe-mesh/contracts/schema/refusal'
import type { Refusal } from '@probe-mesh/contracts/schema/refusal'
import { latenessOf, storedSlotsOf } from './account-slots-query.ts'
import { inAccount } from '../../stores/postgres/in-account.ts'
import { queryClickHouse } from '../../operations/query-clickhouse.ts'
import type { AccountContext, Caller } from '../../operations/context.ts'
import { slotsDueCount } from '@probe-mesh/contracts/reading/slots'
import type { StoredSlots } from './account-slots-query.ts'
import { revisionColumns } from '../../check-record/check-revisions-store.ts'
import type { Revision } from '@probe-mesh/contracts/reading/slots'
import type { Transaction } from '../../stores/postgres/connect.ts'

const minuteMs = 60_000
/** Readings of younger slots may still be on their way. */
const settledMs = 2 * minuteMs
const latenessMs = 60 * minuteMs
const answerMsMax = 3_000

/** The account's ledger of the most recent settled time (S-714). */
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
  const asked = await queryClickHouse(context, accountId, () =>
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

/**
 * The expected probes of each check and region in [fromMs, toMs) against the stored readings, most missing
 * first. Stored readings that were not expected, of a check that just changed, fill no gap of another check.
 */
export const ledgerRows = (
  revisions: readonly NamedRevision[],
  stored: readonly StoredSlots[],
  fromMs: number,
  toMs: number,
): LedgerRow[] => {
  const keyOf = (checkId: string, region: string): string => `${checkId} ${region}`
  const storedBy = new Map(stored.map((one) => [keyOf(one.checkId, one.region), one]))
  const rows = new Map<string, LedgerRow>()
  for (const revision of revisions) {
    const { checkId, name } = revision
    for (const region of revision.regions) {
      const due = slotsDueCount(checkId, region, [revision], fromMs, toMs)
      if (due === 0) continue
      const key = keyOf(checkId, region)
      const { measured = 0, unmeasured = 0 } = storedBy.get(key) ?? {}
      const dueInAll = due + (rows.get(key)?.due ?? 0)
      const missing = Math.max(0, dueInAll - measured - unmeasured)
      rows.set(key, { checkId, name, region, due: dueInAll, measured, unmeasured, missing })
    }
  }
  return [...rows.values()].toSorted(
    (a, b) => b.missing - a.missing || compare(a.name, b.name) || compare(a.region, b.region),
  )
}

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)

/** The totals by region, in order. */
export const regionLedgers = (rows: readonly LedgerRow[]): RegionLedger[] => {
  const totals = new Map<string, RegionLedger>()
  for (const { region, due, measured, unmeasured, missing } of rows) {
    const total = totals.get(region) ?? { region, due: 0, measured: 0, unmeasured: 0, missing: 0 }
    totals.set(region, {
      region,
      due: total.due + due,
      measured: total.measured + measured,
      unmeasured: total.unmeasured + unmeasured,
      missing: total.missing + missing,
    })
  }
  return [...totals.values()].toSorted((a, b) => compare(a.region, b.region))
}

/** The most revisions read for one ledger: as many ids as one ClickHouse query accepts. */
const accountRevisionsMax = 20_000

type NamedRevision = Revision & { checkId: string; name: string }

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
