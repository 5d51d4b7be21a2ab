import type { RegionLatency } from './plate.ts'
import type { CurrentHealth } from './reconcile-outages.ts'
import type { RegionReadings } from './region-reading.ts'
import type { ObservedService } from './shared-factors.ts'
import type { SharedState } from './shared-incident.ts'
import type { MeasuredRegion } from './weather.ts'

/** The source of all answers. Everything is in memory, so no method is asynchronous. */
export type Observed = {
  /** One entry per live region, without readings until the memory is loaded. */
  regionsOf(slug: string): readonly RegionReadings[]
  latenciesOf(slug: string): readonly RegionLatency[]
  /** One entry per live region. */
  weather(): readonly MeasuredRegion[]
  /** The current state of every catalog service. */
  services(): readonly ObservedService[]
  shared(): SharedState
  /** The current health of a service, to reconcile past outages with. */
  healthOf(slug: string): CurrentHealth
  /** Changes when the data of a service changes. Passing time alone does not change it. */
  versionOf(slug: string): number
}
