import {
  ledgerRowsPerPart,
  type Ledger,
  type LedgerMinutes,
  type LedgerRow,
  type RegionLedger,
} from '@probe-mesh/contracts/mesh/mesh'
import { isRefusal, type Refusal } from '@probe-mesh/contracts/schema/refusal'
import { latenessOf, storedSlotsOf, type StoredSlots } from './account-slots-query.ts'
import type { AccountContext, Caller } from '../../accounts/operations/context.ts'
import { slotsDueCount } from '@probe-mesh/contracts/reading/slots'
import { compare, readLedger, settledMinuteMs, type NamedRevision } from './read-ledger.ts'

const minuteMs = 60_000
const latenessMs = 60 * minuteMs

/** The account's ledger of the most recent settled time (S-714). */
export const getLedger = async (
  context: Pick<AccountContext, 'sql' | 'clickhouse' | 'now' | 'log'>,
  { accountId }: Pick<Caller, 'accountId'>,
  { query }: { query: { minutes: LedgerMinutes; page: number } },
): Promise<Ledger | Refusal> => {
  const toMs = settledMinuteMs(context.now())
  const fromMs = toMs - query.minutes * minuteMs
  const latenessFromMs = Math.max(fromMs, toMs - latenessMs)
  const { clickhouse } = context
  const read = await readLedger(context, accountId, { fromMs, toMs }, (checkIds, signal) =>
    Promise.all([
      storedSlotsOf(clickhouse, { checkIds, fromMs, toMs }, signal),
      latenessOf(clickhouse, { checkIds, fromMs: latenessFromMs, toMs }, signal),
    ]),
  )
  if (isRefusal(read)) return read
  const { revisions, isCut } = read
  const [stored, lateness] = read.stored
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
