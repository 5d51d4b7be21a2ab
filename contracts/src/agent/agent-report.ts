import { z } from 'zod'
import { components, field } from '../schema/field.ts'

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
  at: field(Count, "Time by the agent's clock, Unix ms.", 1_795_000_000_000),
  spool: field(
    z
      .object({ readings: field(Count, 'Number of readings.', 0), bytes: field(Count, 'Size on disk.', 0) })
      .nullish(),
    'Readings on its disk that are not confirmed as stored.',
  ),
  dropped: field(
    z
      .object({
        full: field(Count, 'The spool was full.', 0),
        old: field(Count, 'Too old to be stored.', 0),
        damaged: field(Count, 'Not readable on disk.', 0),
        disk: field(Count, 'The disk refused the write.', 0),
      })
      .nullish(),
    'Readings lost since its start, by reason.',
  ),
  runs: field(
    z
      .object({
        begun: field(Count, 'Runs that started.', 60),
        late: field(Count, 'Runs that started more than 1 s late.', 0),
        lateMsMax: field(z.number().min(0), 'Longest delay of a run.', 12.5),
      })
      .nullish(),
    'Scheduled runs of the last minute.',
  ),
  ownFault: field(
    z
      .object({
        namesSince: field(Count.nullish(), 'Since when it resolves no name, Unix ms.', null),
        networkSince: field(Count.nullish(), 'Since when it reaches nothing, Unix ms.', null),
      })
      .nullish(),
    'Faults of the agent itself.',
  ),
})
export type AgentReport = z.infer<typeof AgentReport>
components.add(AgentReport, { id: 'AgentReport' })

/** `names`: its resolver resolves no control name. `network`: names resolve, but no canary is reachable. */
export type OwnFault = { what: 'names' | 'network'; forMs: number }

/** The fault of a probe and its duration, by its own clock. `names` wins: without names no canary is reachable. */
export const ownFaultOf = ({ at, ownFault }: Pick<AgentReport, 'at' | 'ownFault'>): OwnFault | null => {
  const lost = (what: OwnFault['what'], since: number | null | undefined): OwnFault | null =>
    since === null || since === undefined ? null : { what, forMs: Math.max(0, at - since) }
  return lost('names', ownFault?.namesSince) ?? lost('network', ownFault?.networkSince)
}
