import { ownFaultOf } from '@probe-mesh/contracts/agent/agent-report'
import type { OwnFault } from '@probe-mesh/contracts/agent/agent-report'
import type { MeshNotice } from '@probe-mesh/contracts/mesh/mesh'
import { stateOfAgent } from './sightings.ts'
import type { RegionSightings } from './sightings.ts'

/**
 * What the probes of a region cannot do for a fault of their own, one notice for each: then nothing that fails there
 * is counted. Only of agents that are there: what one told that is gone is no state of now. Pure.
 */
export const ownFaultNotices = (seen: RegionSightings, nowMs: number): MeshNotice[] => {
  const there = [...seen.agents.values()].filter(
    (agent) => stateOfAgent(seen, agent, nowMs) === 'there',
  )
  const lost = there.flatMap(({ told }) => {
    const fault = told === null ? null : ownFaultOf(told.report)
    return told === null || fault === null
      ? []
      : { what: fault.what, sinceMs: told.atMs - fault.forMs }
  })
  return (['names', 'network'] as const).flatMap((what) => {
    const since = lost.flatMap((one) => (one.what === what ? one.sinceMs : []))
    if (since.length === 0) return []
    const text = `${seen.region}: ${words[what](since.length, there.length)}`
    // what an agent says of its clock may be anything
    const sinceMs = Math.max(0, Math.min(nowMs, ...since))
    return { region: seen.region, what, since: new Date(sinceMs).toISOString(), text }
  })
}

const words: Readonly<Record<OwnFault['what'], (count: number, of: number) => string>> = {
  names: (count, of) =>
    of === 1
      ? "the probe's resolver answers for no name"
      : `the resolver of ${count} of ${of} probes answers for no name`,
  network: (count, of) =>
    of === 1
      ? 'the probe reaches none of its canaries'
      : `${count} of ${of} probes reach none of their canaries`,
}
