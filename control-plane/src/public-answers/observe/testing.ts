import { CatalogProbe } from '@probe-mesh/contracts/outage/catalog'
import type { Reading, Verdict } from '@probe-mesh/contracts/reading/reading'
import type { Region } from '@probe-mesh/contracts/reading/regions'
import { indexCatalog, type CatalogIndex } from '../../catalog/catalog-index.ts'
import { service } from '../../catalog/testing.ts'
import type { ReadingRow } from '../../readings/insert-readings.ts'
import { readingAt } from '../../status/testing.ts'

export const probeAt = (url: string): CatalogProbe => CatalogProbe.parse({ url })

/** `one` has one probe, `two` has two. */
export const testCatalog: CatalogIndex = indexCatalog({
  stacks: [],
  services: [
    service('one', { probes: [probeAt('https://one.example/')], cdn: 'fastly', dns: 'route53' }),
    service('two', {
      probes: [probeAt('https://two.example/'), probeAt('https://api.two.example/')],
    }),
  ],
})

export const checkIdOf = (catalog: CatalogIndex, slug: string, probe = 0): string => {
  const check = catalog.checks.find((one) => one.slug === slug && one.probe === probe)
  if (check === undefined) throw new Error(`no probe ${probe} of ${slug}`)
  return check.checkId
}

/** A reading of a catalog probe. Times are Unix milliseconds. */
export const catalogReading = (
  [slug, probe]: readonly [slug: string, probe: number],
  region: Region,
  verdict: Verdict,
  atMs: number,
  more: Partial<Reading> = {},
  catalog: CatalogIndex = testCatalog,
): Reading => ({
  ...readingAt(region, verdict, atMs),
  checkId: checkIdOf(catalog, slug, probe),
  ...more,
})

/** The reading as ingest stores it, received 0.5 s after the measurement. */
export const rowOf = (reading: Reading): ReadingRow => ({
  reading,
  agent: 'agent-1',
  receivedAtMs: reading.measuredAt + 500,
  rawDays: 30,
  hourDays: 90,
})
