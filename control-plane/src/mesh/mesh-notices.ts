import { isOlderVersion } from '@probe-mesh/contracts/mesh/older-version'
import type { MeshNotice } from '@probe-mesh/contracts/mesh/mesh'
import type { QuarantineRecord } from '../status/quarantine/quarantines-store.ts'
import { durationText } from '../status/duration-text.ts'
import { ownFaultNotices } from './own-fault-notices.ts'
import { stateOfAgent } from './sightings.ts'
import type { RegionSightings, SeenAgent } from './sightings.ts'

/** What the operator has to look at now. Pure. @param version the control plane's own */
export const meshNotices = (
  seen: readonly RegionSightings[],
  quarantines: readonly Pick<QuarantineRecord, 'region' | 'sinceAtMs' | 'endedAtMs'>[],
  { version, nowMs }: { version: string; nowMs: number },
): MeshNotice[] => [
  ...quarantines
    .filter(({ endedAtMs }) => endedAtMs === null)
    .map(({ region, sinceAtMs }) => ({
      region,
      what: 'quarantine' as const,
      since: instant(sinceAtMs),
      text: `${region} is quarantined: its own network seems to fail`,
    })),
  ...seen.flatMap((region) => {
    const there = agentsThere(region, nowMs)
    return [
      ...ownFaultNotices(region, nowMs),
      ...clockNotices(region, there),
      ...versionNotices(region, there, version),
    ]
  }),
]

/** The regions of which it is known what is so: somebody is there to tell. */
export const regionsHeard = (seen: readonly RegionSightings[], nowMs: number): string[] =>
  seen.filter((region) => agentsThere(region, nowMs).length > 0).map(({ region }) => region)

const agentsThere = (seen: RegionSightings, nowMs: number): SeenAgent[] =>
  [...seen.agents.values()].filter((agent) => stateOfAgent(seen, agent, nowMs) === 'there')

const clockNotices = ({ region }: RegionSightings, there: readonly SeenAgent[]): MeshNotice[] => {
  const off = there
    .flatMap(({ agent, clock: { offMs, sinceMs } }) =>
      sinceMs === null ? [] : [{ agent, offMs, sinceMs }],
    )
    .toSorted((a, b) => Math.abs(b.offMs) - Math.abs(a.offMs))
  const [worst] = off
  if (worst === undefined) return []
  const clock = `the clock of ${worst.agent} is ${durationText(Math.abs(worst.offMs))} ${worst.offMs > 0 ? 'ahead of' : 'behind'} the control plane's`
  const others = off.length === 1 ? '' : `; of ${there.length} probes ${off.length} are off`
  const since = instant(Math.min(...off.map(({ sinceMs }) => sinceMs)))
  return [{ region, what: 'clock', since, text: `${region}: ${clock}${others}` }]
}

const versionNotices = (
  { region }: RegionSightings,
  there: readonly SeenAgent[],
  ours: string,
): MeshNotice[] => {
  const older = there.filter(({ version }) => isOlderVersion(version, ours))
  const [first] = older.toSorted((a, b) => (isOlderVersion(a.version, b.version) ? -1 : 1))
  if (first === undefined) return []
  const who =
    there.length === 1
      ? 'the probe runs an older build'
      : `${older.length} of ${there.length} probes run an older build`
  const since = instant(Math.min(...older.map(({ versionSinceMs }) => versionSinceMs)))
  const text = `${region}: ${who} (${first.version}) than the control plane (${ours})`
  return [{ region, what: 'version', since, text }]
}

const instant = (ms: number): string => new Date(ms).toISOString()
