import type { CatalogIndex } from '../../catalog/catalog-index.ts'
import { partsOfChecks } from './catalog-checks-query.ts'
import { goodHours } from './catalog-runs-query.ts'
import {
  firstFailures,
  newestDetails,
  newestGaps,
  newestMeasurements,
  type NewestFilter,
} from './catalog-newest-query.ts'
import type { ClickHouse } from '../../stores/clickhouse/connect.ts'
import { comparedReadings } from '../plate.ts'
import type { CatalogMemory } from './catalog-memory.ts'
import type { ObservedReading } from './probe-state.ts'

/** How far back to search. Older readings are not used. */
const backMs = 86_400_000
/** Most readings are found within this time, or within four times `staleAfterMs`. */
const nearMs = 900_000

type Query = (clickhouse: ClickHouse, filter: NewestFilter) => Promise<ObservedReading[]>

/**
 * Loads the memory from ClickHouse, and later adds readings that a broadcast missed. An older reading never
 * replaces a newer one. The first run searches the whole last day, but only for probes with too few recent
 * readings.
 */
export const createHydrator = (capabilities: {
  clickhouse: ClickHouse
  catalog: CatalogIndex
  memory: CatalogMemory
  staleAfterMs: number
  now: () => number
  signal: AbortSignal
}): { hydrate(): Promise<void> } => {
  const { clickhouse, catalog, memory, staleAfterMs, now, signal } = capabilities
  const all = catalog.checks.map(({ checkId }) => checkId)
  let lastMs: number | null = null

  const load = async (query: Query, checkIds: readonly string[], fromMs: number): Promise<void> => {
    // as many readings as latencies are compared, each fresh when the next one was measured
    const freshFromMs = now() - comparedReadings * staleAfterMs
    for (const part of partsOfChecks(checkIds)) {
      if (signal.aborted) return
      const found = await query(clickhouse, { checkIds: part, fromMs, freshFromMs })
      for (const reading of found) memory.add(reading)
    }
  }

  /** A failing probe that was up before the last day counts as proven. */
  const loadGoodHours = async (): Promise<void> => {
    for (const part of partsOfChecks(memory.unproven())) {
      if (signal.aborted) return
      for (const { checkId, region, lastMs } of await goodHours(clickhouse, part)) {
        const good = { verdict: 'up', reason: null, latencyMs: null, details: null } as const
        memory.add({ ...good, checkId, region, measuredAt: lastMs })
      }
    }
  }

  return {
    hydrate: async () => {
      const startedMs = now()
      const farMs = startedMs - backMs
      const near = Math.max(nearMs, 4 * staleAfterMs)
      const fromMs = Math.max(farMs, (lastMs ?? startedMs) - near)
      await load(newestMeasurements, all, fromMs)
      if (lastMs === null) {
        await load(newestMeasurements, memory.incomplete(), farMs)
        await load(newestDetails, all, fromMs)
        await load(newestDetails, memory.failing(), farMs)
      }
      await load(newestGaps, all, fromMs)
      await loadGoodHours()
      await load(firstFailures, memory.failing(), lastMs === null ? farMs : fromMs)
      if (!signal.aborted) lastMs = startedMs
    },
  }
}
