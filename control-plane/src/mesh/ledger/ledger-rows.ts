import type { LedgerRow, RegionLedger } from '@probe-mesh/contracts/mesh/mesh'
import { slotsDueCount } from '@probe-mesh/contracts/reading/slots'
import type { StoredSlots } from './account-slots-query.ts'
import type { NamedRevision } from './account-revisions-store.ts'

/**
 * What was due of each check in each region in [fromMs, toMs) against what is stored, those with
 * most missing first. What is stored and was not due, of a check that has just changed, fills no gap
 * of another.
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
  for (const { checkId, name, revision } of revisions) {
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

/** The same by region, in order. */
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
