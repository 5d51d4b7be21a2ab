import {
  ledgerHoursCount,
  ledgerHoursRegionsMax,
  type LedgerHour,
  type LedgerHours,
} from '@probe-mesh/contracts/mesh/mesh'
import { slotsDueCounts } from '@probe-mesh/contracts/reading/slots'
import { isRefusal, type Refusal } from '@probe-mesh/contracts/schema/refusal'
import type { Caller } from '../../accounts/operations/context.ts'
import { storedHoursOf, type StoredHours } from './account-slots-query.ts'
import {
  compare,
  readLedger,
  settledMinuteMs,
  type LedgerContext,
  type NamedRevision,
} from './read-ledger.ts'

const hourMs = 3_600_000

/** The account's ledger by region and hour, up to the most recent settled minute (S-714). */
export const getLedgerHours = async (
  context: LedgerContext,
  { accountId }: Pick<Caller, 'accountId'>,
): Promise<LedgerHours | Refusal> => {
  const toMs = settledMinuteMs(context.now())
  const newestMs = Math.floor((toMs - 1) / hourMs) * hourMs
  const fromMs = newestMs - (ledgerHoursCount - 1) * hourMs
  const read = await readLedger(context, accountId, { fromMs, toMs }, (checkIds, signal) =>
    storedHoursOf(context.clickhouse, { checkIds, fromMs, newestMs, toMs }, signal),
  )
  if (isRefusal(read)) return read
  const regions = hoursByRegion(read.revisions, read.stored, fromMs, toMs)
  return {
    from: new Date(fromMs).toISOString(),
    to: new Date(toMs).toISOString(),
    regions: mostMissed(regions, ledgerHoursRegionsMax),
    isCut: read.isCut || regions.length > ledgerHoursRegionsMax,
  }
}

type RegionHours = LedgerHours['regions'][number]

/**
 * Compares expected probes with stored readings by region and hour of [fromMs, toMs). Each check is compared
 * separately, so that an unexpected reading of one fills no gap of another. Regions without expected probes
 * are absent.
 */
export const hoursByRegion = (
  revisions: readonly NamedRevision[],
  stored: readonly StoredHours[],
  fromMs: number,
  toMs: number,
): RegionHours[] => {
  const edges = Array.from({ length: ledgerHoursCount }, (_, hour) => fromMs + hour * hourMs).concat(toMs)
  const storedBy = new Map(stored.map((one) => [`${one.checkId} ${one.region}`, one]))
  const regions = new Map<string, LedgerHour[]>()
  for (const own of byCheck(revisions)) {
    const [{ checkId }] = own
    for (const region of new Set(own.flatMap((revision) => revision.regions))) {
      const due = slotsDueCounts(checkId, region, own, edges)
      if (due.every((count) => count === 0)) continue
      const hours = regions.get(region) ?? due.map(() => ({ due: 0, measured: 0, unmeasured: 0, missing: 0 }))
      regions.set(region, hours)
      const found = storedBy.get(`${checkId} ${region}`)
      for (const [hour, total] of hours.entries()) addHour(total, due[hour] ?? 0, found, hour)
    }
  }
  return [...regions]
    .map(([region, hours]) => ({ region, hours }))
    .toSorted((a, b) => compare(a.region, b.region))
}

/** Groups the revisions by check. */
const byCheck = (revisions: readonly NamedRevision[]): Iterable<[NamedRevision, ...NamedRevision[]]> => {
  const checks = new Map<string, [NamedRevision, ...NamedRevision[]]>()
  for (const revision of revisions) {
    const known = checks.get(revision.checkId)
    if (known === undefined) checks.set(revision.checkId, [revision])
    else known.push(revision)
  }
  return checks.values()
}

const addHour = (total: LedgerHour, due: number, found: StoredHours | undefined, hour: number): void => {
  const measured = Math.min(due, found?.measured[hour] ?? 0)
  const unmeasured = Math.min(due - measured, found?.unmeasured[hour] ?? 0)
  total.due += due
  total.measured += measured
  total.unmeasured += unmeasured
  total.missing += due - measured - unmeasured
}

const missedIn = ({ hours }: RegionHours): number => hours.reduce((sum, { missing }) => sum + missing, 0)

/** The regions with most missed probes, by region. */
const mostMissed = (regions: readonly RegionHours[], most: number): RegionHours[] =>
  regions.length <= most
    ? [...regions]
    : regions
        .toSorted((a, b) => missedIn(b) - missedIn(a))
        .slice(0, most)
        .toSorted((a, b) => compare(a.region, b.region))
