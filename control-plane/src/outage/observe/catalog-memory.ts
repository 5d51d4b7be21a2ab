import { pageChangedCause } from '@probe-mesh/contracts/reading/reading'
import type { Region } from '@probe-mesh/contracts/reading/regions'
import type { CatalogIndex } from '../../catalog/catalog-index.ts'
import type { ProbeReading, UndecidedReading } from '../region-reading.ts'
import { holdReading, isSuspect, speakerOf } from './held-probe.ts'
import type { HeldProbe, SeenReading } from './held-probe.ts'

/**
 * The readings of one region, one for each probe of a service that has one, in its order. One that
 * fails and was never good there decides nothing, since its expectation may be wrong, and neither
 * does one that measured nothing after all the others.
 */
type RegionReadings = {
  region: Region
  readings: readonly ProbeReading[]
  undecided: readonly UndecidedReading[]
  /** The newest reading of a probe found other content than the catalog expects: nothing was measured. */
  changed: boolean
}

export type CatalogMemory = {
  /** @returns whether it changed anything */
  add(reading: SeenReading): boolean
  /** One for each live region; empty of a service that is not in the catalog. */
  readingsOf(slug: string): readonly RegionReadings[]
  /** The probes of a service as they are held in one region, in its order. */
  probesOf(slug: string, region: Region): readonly (HeldProbe | null)[]
  /** The ids of a service's probes, in its order. */
  checkIdsOf(slug: string): readonly string[]
  /** The probes of which something is held nowhere, or not in every live region. */
  lacking(): string[]
  /** The probes that fail somewhere where they were never good, as far as is known. */
  unproven(): string[]
  /** The probes that have failed somewhere since they were good. */
  failing(): string[]
  /** How many probes find another page than the catalog expects in some region. */
  changedPages(): number
  /** How often what is held of a service changed. */
  versionOf(slug: string): number
}

type Entry = {
  checkIds: string[]
  /** By region, by probe. */
  held: (HeldProbe | null)[][]
  /** By region, by probe: when another page than expected was found last; -Infinity where never. */
  changedAts: number[][]
  /** By region, by probe: the newest reading that measured nothing; null where none did. */
  unmeasured: (UndecidedReading | null)[][]
  version: number
  /** Made of `held` when it is asked for; null once that changed. */
  readings: readonly RegionReadings[] | null
}

/**
 * The newest readings of the whole catalog: of each probe in each live region, and of nothing else,
 * which bounds it. What an agent measured in the future was measured now.
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
      held: regions.map(() => []),
      changedAts: regions.map(() => []),
      unmeasured: regions.map(() => []),
      version: 0,
      readings: null,
    }
    entry.checkIds.push(checkId)
    for (const probes of entry.held) probes.push(null)
    for (const ats of entry.changedAts) ats.push(-Infinity)
    for (const probes of entry.unmeasured) probes.push(null)
    entries.set(slug, entry)
  }
  const checkIdsWhere = (holds: (probe: HeldProbe | null) => boolean): string[] =>
    [...entries.values()].flatMap(({ checkIds, held }) =>
      checkIds.filter((_, index) => held.some((probes) => holds(probes[index] ?? null))),
    )

  return {
    add: (reading) => {
      const check = catalog.byCheckId.get(reading.checkId)
      const region = regionIndex.get(reading.region)
      const entry = check && entries.get(check.slug)
      const probes = region === undefined ? undefined : entry?.held[region]
      if (check === undefined || entry === undefined || probes === undefined) return false
      const held = probes[check.probe] ?? null
      const measuredAt = Math.min(reading.measuredAt, now())
      const ats = entry.changedAts[region ?? -1]
      if (ats !== undefined && reading.cause === pageChangedCause) {
        if (measuredAt <= (ats[check.probe] ?? -Infinity)) return false
        ats[check.probe] = measuredAt
        entry.version += 1
        entry.readings = null
        return true
      }
      const runs = entry.unmeasured[region ?? -1]
      if (runs !== undefined && reading.verdict === 'unmeasured') {
        const run = { why: 'unmeasured', reason: reading.reason, measuredAt } as const
        if (compareRuns(run, runs[check.probe] ?? null) <= 0) return false
        runs[check.probe] = run
      } else {
        const next = holdReading(held, { ...reading, measuredAt })
        if (next === held) return false
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
        readings: (entry.held[index] ?? []).flatMap((held, probe) =>
          held === null || isUnproven(held) ? [] : { ...speakerOf(held), probe },
        ),
        undecided: entry.checkIds.flatMap((_, probe) => undecidedOf(entry, index, probe) ?? []),
        changed: entry.checkIds.some((_, probe) => isChanged(entry, index, probe)),
      }))
      return entry.readings
    },
    probesOf: (slug, region) => entries.get(slug)?.held[regionIndex.get(region) ?? -1] ?? [],
    checkIdsOf: (slug) => entries.get(slug)?.checkIds ?? [],
    lacking: () => checkIdsWhere((probe) => probe === null),
    unproven: () => checkIdsWhere(isUnproven),
    failing: () => checkIdsWhere((probe) => probe !== null && probe.failingAts.length > 0),
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

/** What was measured since stands for itself. */
const isChanged = ({ held, changedAts }: Entry, region: number, probe: number): boolean =>
  (changedAts[region]?.[probe] ?? -Infinity) > (held[region]?.[probe]?.newest.measuredAt ?? -Infinity)

/** By time; of one instant always the same, whichever came first. */
const compareRuns = (a: UndecidedReading, b: UndecidedReading | null): number => {
  if (b === null) return 1
  const [own, other] = [a.reason ?? '', b.reason ?? '']
  return a.measuredAt - b.measuredAt || (own > other ? 1 : own === other ? 0 : -1)
}

/** What could not be measured says nothing where something was measured since. */
const undecidedOf = ({ held, unmeasured }: Entry, region: number, probe: number): UndecidedReading | null => {
  const [own, unmeasuredHere] = [held[region]?.[probe] ?? null, unmeasured[region]?.[probe] ?? null]
  if (own !== null && isUnproven(own)) {
    const { reason, measuredAt } = own.newest
    return { why: 'unproven', reason, measuredAt }
  }
  if (own !== null && isSuspect(own)) {
    const { reason, measuredAt } = own.newest
    return { why: 'suspect', reason, measuredAt }
  }
  return unmeasuredHere !== null && unmeasuredHere.measuredAt > (own?.newest.measuredAt ?? -Infinity)
    ? unmeasuredHere
    : null
}

const isUnproven = (probe: HeldProbe | null): boolean =>
  probe !== null && probe.newest.verdict === 'down' && probe.goodAt === -Infinity
