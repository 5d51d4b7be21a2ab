import type { RegionPace } from './plate.ts'
import type { StandingNow } from './reconcile-outages.ts'
import type { HeldRegion } from './region-reading.ts'
import type { ObservedService } from './shared-factors.ts'
import type { SharedState } from './shared-incident.ts'
import type { MeasuredRegion } from './weather.ts'

/** What answers are made from: all of it in memory, none of it a promise. */
export type Observed = {
  /** One for each live region; without readings while what is held cannot be answered from yet. */
  regionsOf(slug: string): readonly HeldRegion[]
  pacesOf(slug: string): readonly RegionPace[]
  /** One for each live region. */
  weather(): readonly MeasuredRegion[]
  /** Every service of the catalog as its probes see it now. */
  services(): readonly ObservedService[]
  shared(): SharedState
  /** What the status of a service stands on, for its past. */
  standingOf(slug: string): StandingNow
  /** Another number whenever anything of a service changed; passing time changes nothing. */
  versionOf(slug: string): number
}
