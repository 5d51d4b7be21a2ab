import { isOlderVersion } from '@probe-mesh/contracts/mesh/older-version'
import { nothingMeasured, type RegionNotice } from '@probe-mesh/contracts/mesh/mesh'
import { findOpenQuarantines, type QuarantineRecord } from '../status/quarantine/quarantines-store.ts'
import { durationText } from '../status/duration-text.ts'
import { stateOfAgent, type RegionSightings, type SeenAgent } from './sightings.ts'
import { ownFaultOf, type OwnFault } from '@probe-mesh/contracts/agent/agent-report'
import manifest from '../../package.json' with { type: 'json' }
import type { Sql } from '../stores/postgres/connect.ts'
import { agentsPart, type MeshWatch } from './mesh-watch.ts'

/** The faults of each region, at most one of each kind. @param version of this control plane */
export const regionNotices = (
  seen: readonly RegionSightings[],
  quarantines: readonly Pick<QuarantineRecord, 'region' | 'sinceAtMs' | 'endedAtMs'>[],
  { version, nowMs }: { version: string; nowMs: number },
): RegionNotice[] => [
  ...quarantines
    .filter(({ endedAtMs }) => endedAtMs === null)
    .map(({ region, sinceAtMs }) => ({
      region,
      what: 'quarantine' as const,
      since: instant(sinceAtMs),
      text: `${region} is quarantined: its own network seems to fail`,
    })),
  ...seen.flatMap((region) => {
    const online = agentsOnline(region, nowMs)
    return [
      ...ownFaultNotices(region, nowMs),
      ...clockNotices(region, online),
      ...versionNotices(region, online, version),
    ]
  }),
]

/** The regions whose condition is known, because an agent is online there. */
export const regionsHeard = (seen: readonly RegionSightings[], nowMs: number): string[] =>
  seen.filter((region) => agentsOnline(region, nowMs).length > 0).map(({ region }) => region)

/** Whether agents run, and each of them has a fault of its own: nothing is measured. */
export const measuresNothing = (seen: readonly RegionSightings[], nowMs: number): boolean => {
  const online = seen.flatMap((region) => agentsOnline(region, nowMs))
  return online.length > 0 && online.every(({ told }) => told !== null && ownFaultOf(told.report) !== null)
}

/** Parts that are degraded while a region has no agent, and while no region can measure although agents run. */
export const meshParts = (watch: () => MeshWatch | null, now: () => number) => ({
  agents: agentsPart(watch, now),
  measuring: {
    effect: `${nothingMeasured.text}. ${nothingMeasured.advice}`,
    works: () => !measuresNothing(watch()?.regions() ?? [], now()),
  },
})

const agentsOnline = (seen: RegionSightings, nowMs: number): SeenAgent[] =>
  [...seen.agents.values()].filter((agent) => stateOfAgent(seen, agent, nowMs) === 'there')

const clockNotices = ({ region }: RegionSightings, online: readonly SeenAgent[]): RegionNotice[] => {
  const off = online
    .flatMap(({ agent, clock: { offMs, sinceMs } }) => (sinceMs === null ? [] : [{ agent, offMs, sinceMs }]))
    .toSorted((a, b) => Math.abs(b.offMs) - Math.abs(a.offMs))
  const [worst] = off
  if (worst === undefined) return []
  const clock = `the clock of ${worst.agent} is ${durationText(Math.abs(worst.offMs))} ${worst.offMs > 0 ? 'ahead of' : 'behind'} the control plane's`
  const others = off.length === 1 ? '' : `; ${off.length} of ${online.length} probes are off`
  const since = instant(Math.min(...off.map(({ sinceMs }) => sinceMs)))
  return [{ region, what: 'clock', since, text: `${region}: ${clock}${others}` }]
}

const versionNotices = (
  { region }: RegionSightings,
  online: readonly SeenAgent[],
  ours: string,
): RegionNotice[] => {
  const older = online.filter(({ version }) => isOlderVersion(version, ours))
  const [first] = older.toSorted((a, b) => (isOlderVersion(a.version, b.version) ? -1 : 1))
  if (first === undefined) return []
  const subject =
    online.length === 1
      ? 'the probe runs an older build'
      : `${older.length} of ${online.length} probes run an older build`
  const since = instant(Math.min(...older.map(({ versionSinceMs }) => versionSinceMs)))
  const text = `${region}: ${subject} (${first.version}) than the control plane (${ours})`
  return [{ region, what: 'version', since, text }]
}

const instant = (ms: number): string => new Date(ms).toISOString()

/**
 * One notice for each kind of own fault among the probes of a region. During an own fault no failure counts.
 * Only agents that are online count: the last report of an offline agent is outdated.
 */
export const ownFaultNotices = (seen: RegionSightings, nowMs: number): RegionNotice[] => {
  const online = [...seen.agents.values()].filter((agent) => stateOfAgent(seen, agent, nowMs) === 'there')
  const faults = online.flatMap(({ told }) => {
    const fault = told === null ? null : ownFaultOf(told.report)
    return told === null || fault === null ? [] : { what: fault.what, sinceMs: told.atMs - fault.forMs }
  })
  return (['names', 'network'] as const).flatMap((what) => {
    const since = faults.flatMap((one) => (one.what === what ? one.sinceMs : []))
    if (since.length === 0) return []
    const text = `${seen.region}: ${words[what](since.length, online.length)}`
    // an agent may report any time
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

/** The version of this control plane. */
export const { version: ownVersion } = manifest

/** The present faults of each region, and the regions whose condition is known. */
export const seeNotices = async (capabilities: {
  sql: Sql
  watch: Pick<MeshWatch, 'regions'>
  now: () => number
}): Promise<{ notices: RegionNotice[]; heard: string[] }> => {
  const quarantines = await findOpenQuarantines(capabilities.sql)
  const nowMs = capabilities.now()
  const seen = capabilities.watch.regions()
  return {
    notices: regionNotices(seen, quarantines, { version: ownVersion, nowMs }),
    heard: regionsHeard(seen, nowMs),
  }
}
