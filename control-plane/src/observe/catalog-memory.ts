import { pageChangedCause } from '@probe-mesh/contracts/reading'
import type { Region } from '@probe-mesh/contracts/regions'
import type { CatalogIndex } from '../catalog/catalog-index.ts'
import type { ProbeReading, Unmeasured } from '../outage/region-reading.ts'
import { holdReading, speakerOf } from './held-probe.ts'
import type { HeldProbe, SeenReading } from './held-probe.ts'

/**
 * The readings of one region, one for each probe of a service that has one, in its order. One that
 * fails and was never good there is left out: its expectation may be wrong (`unproven`).
 */
export type RegionReadings = {
  region: Region
  readings: readonly ProbeReading[]
  unproven: boolean
  /** The newest reading of a probe found other content than the catalog expects: nothing was measured. */
  changed: boolean
  /** The newest run of a probe that measured nothing for a fault of its own, where it is its newest reading. */
  unmeasured: Unmeasured | null
}

export type CatalogMemory = {
  /** @returns whether it changed anything */
  take(reading: SeenReading): boolean
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
  /** By region, by probe: the newest run that measured nothing for another cause. */
  unmeasured: (Unmeasured | null)[][]
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
    for (const runs of entry.unmeasured) runs.push(null)
    entries.set(slug, entry)
  }
  const checkIdsWhere = (holds: (probe: HeldProbe | null) => boolean): string[] =>
    [...entries.values()].flatMap(({ checkIds, held }) =>
      checkIds.filter((_, index) => held.some((probes) => holds(probes[index] ?? null))),
    )

  return {
    take: (reading) => {
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
        const before = runs[check.probe] ?? null
        const run = { reason: reading.reason ?? noReason, atMs: measuredAt }
        if (before !== null && compareRuns(run, before) <= 0) return false
        runs[check.probe] = run
        entry.version += 1
        entry.readings = null
        return true
      }
      const next = holdReading(held, { ...reading, measuredAt })
      if (next === held) return false
      probes[check.probe] = next
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
        unproven: (entry.held[index] ?? []).some(isUnproven),
        changed: entry.checkIds.some((_, probe) => isChanged(entry, index, probe)),
        unmeasured: newestUnmeasured(entry, index),
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
  (changedAts[region]?.[probe] ?? -Infinity) >
  (held[region]?.[probe]?.newest.measuredAt ?? -Infinity)

/** Of probes that measured something since then, no run is left. */
const newestUnmeasured = (
  { held, unmeasured }: Pick<Entry, 'held' | 'unmeasured'>,
  region: number,
): Unmeasured | null => {
  const newest = (unmeasured[region] ?? []).flatMap((run, probe) =>
    run !== null && run.atMs > (held[region]?.[probe]?.newest.measuredAt ?? -Infinity) ? run : [],
  )
  return newest.toSorted((a, b) => compareRuns(b, a))[0] ?? null
}

const noReason = 'the probe says no reason'

/** By time; of one instant always the same, whichever came first. */
const compareRuns = (a: Unmeasured, b: Unmeasured): number =>
  a.atMs - b.atMs || (a.reason > b.reason ? 1 : a.reason === b.reason ? 0 : -1)

const isUnproven = (probe: HeldProbe | null): boolean =>
  probe !== null && probe.newest.verdict === 'down' && probe.goodAt === -Infinity
