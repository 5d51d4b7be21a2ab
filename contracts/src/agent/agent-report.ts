import { z } from 'zod'

/** Runs begin within this time of their slot, or they count as late. */
export const lateRunMs = 1_000
/** A report's lateness is of this much time, or a little less where the agent is younger, ms. */
export const latenessWindowMs = 60_000

const Count = z.int().min(0)

/**
 * What an agent tells of itself beside being there. Small and bounded, since it goes with every
 * announcement. Keys that are unknown pass, and keys that are missing were not told: agents and
 * control planes of different ages understand each other.
 */
export const AgentReport = z.object({
  /** By the agent's clock, Unix ms. */
  at: Count,
  /** Readings on its disk that are not known to be stored. */
  spool: z.object({ readings: Count, bytes: Count }).nullish(),
  /** Readings that will never be stored, since the agent started, by reason. */
  dropped: z.object({ full: Count, old: Count, damaged: Count, disk: Count }).nullish(),
  /** Scheduled runs begun in the last `latenessWindowMs`. */
  runs: z.object({ begun: Count, late: Count, lateMsMax: z.number().min(0) }).nullish(),
  /** What of the probe itself does not work, each since when by the agent's clock, Unix ms. */
  ownFault: z.object({ namesSince: Count.nullish(), networkSince: Count.nullish() }).nullish(),
})
export type AgentReport = z.infer<typeof AgentReport>

/** `names`: its resolver answers for no control name. `network`: names are resolved, and no canary is reached. */
export type OwnFault = { what: 'names' | 'network'; forMs: number }

/** What of a probe does not work, and for how long, by its own clock. Without names, no canary is reached either. */
export const ownFaultOf = ({
  at,
  ownFault,
}: Pick<AgentReport, 'at' | 'ownFault'>): OwnFault | null => {
  const lost = (what: OwnFault['what'], since: number | null | undefined): OwnFault | null =>
    since === null || since === undefined ? null : { what, forMs: Math.max(0, at - since) }
  return lost('names', ownFault?.namesSince) ?? lost('network', ownFault?.networkSince)
}
