import { z } from 'zod'

/** A run is late when it starts more than this after its slot. */
export const lateRunMs = 1_000
/** A report counts late runs over this time, ms; less for an agent that started recently. */
export const latenessWindowMs = 60_000

const Count = z.int().min(0)

/**
 * The self-report of an agent. Small and bounded, since every announcement contains it. Unknown keys pass and
 * missing keys mean "not reported", so that agents and control planes of different versions work together.
 */
export const AgentReport = z.object({
  /** By the agent's clock, Unix ms. */
  at: Count,
  /** Readings on its disk without a confirmation that they are stored. */
  spool: z.object({ readings: Count, bytes: Count }).nullish(),
  /** Lost readings since the agent started, by reason. */
  dropped: z.object({ full: Count, old: Count, damaged: Count, disk: Count }).nullish(),
  /** Scheduled runs that started in the last `latenessWindowMs`. */
  runs: z.object({ begun: Count, late: Count, lateMsMax: z.number().min(0) }).nullish(),
  /** Faults of the probe itself, with their start by the agent's clock, Unix ms. */
  ownFault: z.object({ namesSince: Count.nullish(), networkSince: Count.nullish() }).nullish(),
})
export type AgentReport = z.infer<typeof AgentReport>

/** `names`: its resolver resolves no control name. `network`: names resolve, but no canary is reachable. */
export type OwnFault = { what: 'names' | 'network'; forMs: number }

/** The fault of a probe and its duration, by its own clock. `names` wins: without names no canary is reachable. */
export const ownFaultOf = ({ at, ownFault }: Pick<AgentReport, 'at' | 'ownFault'>): OwnFault | null => {
  const lost = (what: OwnFault['what'], since: number | null | undefined): OwnFault | null =>
    since === null || since === undefined ? null : { what, forMs: Math.max(0, at - since) }
  return lost('names', ownFault?.namesSince) ?? lost('network', ownFault?.networkSince)
}
