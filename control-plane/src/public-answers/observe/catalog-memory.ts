import { pageChangedCause } from '@probe-mesh/contracts/reading/reading'
import type { Region } from '@probe-mesh/contracts/reading/regions'
import type { CatalogIndex } from '../../catalog/catalog-index.ts'
import type { ProbeReading, InconclusiveReading } from '../region-reading.ts'
import {
  addReading,
  isUnconfirmed,
  effectiveReading,
  type ProbeState,
  type ObservedReading,
} from './probe-state.ts'

/**
 * The readings of one region: at most one per probe of the service, in the service's order. A failure of a
 * probe that was never up there is inconclusive, because the catalog's expectation may be wrong. So is a
 * reading without a measurement after all others.
 */
type MemoryRegion = {
  region: Region
  readings: readonly ProbeReading[]
  inconclusive: readonly InconclusiveReading[]
  /** Whether the newest reading of a probe found a different page than the catalog expects. */
  changed: boolean
}

export type CatalogMemory = {
  /** @returns whether the reading changed anything */
  add(reading: ObservedReading): boolean
  /** One entry per live region; empty for a service outside the catalog. */
  readingsOf(slug: string): readonly MemoryRegion[]
  /** The states of a service's probes in one region, in the service's order. */
  probesOf(slug: string, region: Region): readonly (ProbeState | null)[]
  /** The check ids of a service's probes, in the service's order. */
  checkIdsOf(slug: string): readonly string[]
  /** The checks without a reading in some live region. */
  incomplete(): string[]
  /** The checks that fail in a region where they were never up, as far as known. */
  unproven(): string[]
  /** The checks that have failed in some region since they were last up. */
  failing(): string[]
  /** The number of checks whose page differs from the catalog in some region. */
  changedPages(): number
  /** The number of changes to the data of a service. */
  versionOf(slug: string): number
}

type Entry = {
  checkIds: string[]
  /** By region and probe. */
  probes: (ProbeState | null)[][]
  /** By region and probe: when a changed page was last found; -Infinity: never. */
  changedAts: number[][]
  /** By region and probe: the newest reading without a measurement; null without one. */
  unmeasured: (InconclusiveReading | null)[][]
  version: number
  /** The cached result of `readingsOf`; null after a change. */
  readings: readonly MemoryRegion[] | null
}

/**
 * The newest readings of the whole catalog, one state per probe and live region, which bounds the memory. A
 * time of measurement in the future counts as now.
 */
export const createCatalogMemory = (capabilities: {
  catalog: CatalogIndex
  regions: readonly Region[]
  now: () => number
}): CatalogMemory => {
  const { catalog, regions, now } = capabilities
  const regionIndex = new Map(regions.map((region, index) => [region, index]))
  const entries = new Map<string, Entry>()
  for (const { slug, checkId } of catalog.checks) {
    const entry = entries.get(slug) ?? {
      checkIds: [],
      probes: regions.map(() => []),
      changedAts: regions.map(() => []),
      unmeasured: regions.map(() => []),
      version: 0,
      readings: null,
    }
    entry.checkIds.push(checkId)
    for (const probes of entry.probes) probes.push(null)
    for (const ats of entry.changedAts) ats.push(-Infinity)
    for (const probes of entry.unmeasured) probes.push(null)
    entries.set(slug, entry)
  }
  const checkIdsWhere = (matches: (probe: ProbeState | null) => boolean): string[] =>
    [...entries.values()].flatMap(({ checkIds, probes }) =>
      checkIds.filter((_, index) => probes.some((ofRegion) => matches(ofRegion[index] ?? null))),
    )

  return {
    add: (reading) => {
      const check = catalog.byCheckId.get(reading.checkId)
      const region = regionIndex.get(reading.region)
      const entry = check && entries.get(check.slug)
      const probes = region === undefined ? undefined : entry?.probes[region]
      if (check === undefined || entry === undefined || probes === undefined) return false
      const before = probes[check.probe] ?? null
      const measuredAt = Math.min(reading.measuredAt, now())
      const ats = entry.changedAts[region ?? -1]
      if (ats !== undefined && reading.cause === pageChangedCause) {
        if (measuredAt <= (ats[check.probe] ?? -Infinity)) return false
        ats[check.probe] = measuredAt
        entry.version += 1
        entry.readings = null
        return true
      }
      const unmeasured = entry.unmeasured[region ?? -1]
      if (unmeasured !== undefined && reading.verdict === 'unmeasured') {
        const own = { why: 'unmeasured', reason: reading.reason, measuredAt } as const
        if (compareInconclusive(own, unmeasured[check.probe] ?? null) <= 0) return false
        unmeasured[check.probe] = own
      } else {
        const next = addReading(before, { ...reading, measuredAt })
        if (next === before) return false
        probes[check.probe] = next
      }
      entry.version += 1
      entry.readings = null
      return true
    },
    readingsOf: (slug) => {
      const entry = entries.get(slug)
      if (entry === undefined) return []
      entry.readings ??= regions.map((region, index) => ({
        region,
        readings: (entry.probes[index] ?? []).flatMap((state, probe) =>
          state === null || isUnproven(state) ? [] : { ...effectiveReading(state), probe },
        ),
        inconclusive: entry.checkIds.flatMap((_, probe) => inconclusiveOf(entry, index, probe) ?? []),
        changed: entry.checkIds.some((_, probe) => isChanged(entry, index, probe)),
      }))
      return entry.readings
    },
    probesOf: (slug, region) => entries.get(slug)?.probes[regionIndex.get(region) ?? -1] ?? [],
    checkIdsOf: (slug) => entries.get(slug)?.checkIds ?? [],
    incomplete: () => checkIdsWhere((probe) => probe === null),
    unproven: () => checkIdsWhere(isUnproven),
    failing: () => checkIdsWhere((probe) => probe !== null && probe.failureTimes.length > 0),
    changedPages: () =>
      [...entries.values()].reduce(
        (sum, entry) =>
          sum +
          entry.checkIds.filter((_, probe) =>
            regions.some((_region, index) => isChanged(entry, index, probe)),
          ).length,
        0,
      ),
    versionOf: (slug) => entries.get(slug)?.version ?? 0,
  }
}

/** Whether no measurement followed the changed page. */
const isChanged = ({ probes, changedAts }: Entry, region: number, probe: number): boolean =>
  (changedAts[region]?.[probe] ?? -Infinity) > (probes[region]?.[probe]?.newest.measuredAt ?? -Infinity)

/** By time. The reason breaks ties, so that the order of arrival does not matter. */
const compareInconclusive = (a: InconclusiveReading, b: InconclusiveReading | null): number => {
  if (b === null) return 1
  const [own, other] = [a.reason ?? '', b.reason ?? '']
  return a.measuredAt - b.measuredAt || (own > other ? 1 : own === other ? 0 : -1)
}

/** A reading without a measurement is ignored once a later one measured something. */
const inconclusiveOf = (
  { probes, unmeasured }: Entry,
  region: number,
  probe: number,
): InconclusiveReading | null => {
  const [own, unmeasuredHere] = [probes[region]?.[probe] ?? null, unmeasured[region]?.[probe] ?? null]
  if (own !== null && isUnproven(own)) {
    const { reason, measuredAt } = own.newest
    return { why: 'unproven', reason, measuredAt }
  }
  if (own !== null && isUnconfirmed(own)) {
    const { reason, measuredAt } = own.newest
    return { why: 'unconfirmed', reason, measuredAt }
  }
  return unmeasuredHere !== null && unmeasuredHere.measuredAt > (own?.newest.measuredAt ?? -Infinity)
    ? unmeasuredHere
    : null
}

const isUnproven = (probe: ProbeState | null): boolean =>
  probe !== null && probe.newest.verdict === 'down' && probe.goodAt === -Infinity
