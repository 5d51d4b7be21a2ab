import {
  joinNotices,
  meshAgentsMax,
  meshQuarantinesMax,
  type Mesh,
  type MeshAgent,
} from '@probe-mesh/contracts/mesh/mesh'
import type { Region } from '@probe-mesh/contracts/reading/regions'
import { findPartitionOwners } from '../stores/leases/leases-store.ts'
import { findNewestQuarantines } from '../status/quarantine/quarantines-store.ts'
import { ownVersion, regionNotices } from './mesh-notices.ts'
import { stateOfAgent, type AgentState, type RegionSightings, type SeenAgent } from './sightings.ts'
import type { AccountRules } from '../accounts/operations/context.ts'
import type { Sql } from '../stores/postgres/connect.ts'
import type { MeshWatch } from './mesh-watch.ts'

/** Messages not stored yet, by partition. A partition whose consumer does not answer is left out. */
export type StreamLag = () => Promise<ReadonlyMap<number, number>>

/** What the answers about the mesh need. The mesh belongs to no account. */
export type MeshContext = {
  /** Sees all accounts, as the loops do. */
  readonly sql: Sql
  /** null until the app is ready. */
  readonly watch: () => MeshWatch | null
  /** null if this process consumes no partition. */
  readonly streamLag: StreamLag | null
  readonly vantage: AccountRules['vantage']
  readonly now: () => number
}

/**
 * The mesh as this control plane sees it. A quarantine shows numbers only: its hosts belong to accounts, and
 * each account may see only its own.
 */
export const getMesh = async (context: MeshContext): Promise<Mesh> => {
  const { sql, streamLag } = context
  const [quarantines, owners, lags] = await Promise.all([
    findNewestQuarantines(sql, meshQuarantinesMax),
    findPartitionOwners(sql),
    streamLag?.(),
  ])
  const nowMs = context.now()
  const watch = context.watch()
  const seen = watch?.regions() ?? []
  const quarantined = new Set(
    quarantines.filter(({ endedAtMs }) => endedAtMs === null).map(({ region }) => region),
  )
  const agents = seen.flatMap((region) => agentsOf(region, nowMs))
  return {
    at: instant(nowMs),
    watchedSince: instant(watch?.sinceMs ?? nowMs),
    vantage: context.vantage,
    regions: seen.map((one) => describeRegion(one, quarantined, nowMs)),
    notices: joinNotices(regionNotices(seen, quarantines, { version: ownVersion, nowMs })),
    agents: agents.toSorted((a, b) => rank[a.state] - rank[b.state]).slice(0, meshAgentsMax),
    agentsInAll: agents.length,
    quarantines: quarantines.map(({ region, sinceAtMs, endedAtMs, hosts, failing }) => ({
      region,
      since: instant(sinceAtMs),
      endedAt: endedAtMs === null ? null : instant(endedAtMs),
      hosts,
      failing,
    })),
    partitions: owners.map(({ takenAtMs, ...owner }) => ({
      ...owner,
      takenAt: takenAtMs === null ? null : instant(takenAtMs),
      waiting: lags?.get(owner.partition) ?? null,
    })),
  }
}

const rank: Readonly<Record<AgentState, number>> = { there: 0, unknown: 1, gone: 2 }

const describeRegion = (
  seen: RegionSightings,
  quarantined: ReadonlySet<Region>,
  nowMs: number,
): Mesh['regions'][number] => {
  const counts: Record<AgentState, number> = { there: 0, gone: 0, unknown: 0 }
  let heardAtMs = Number.NEGATIVE_INFINITY
  for (const agent of seen.agents.values()) {
    counts[stateOfAgent(seen, agent, nowMs)]++
    heardAtMs = Math.max(heardAtMs, agent.heardAtMs)
  }
  return {
    region: seen.region,
    readAt: seen.readAtMs === null ? null : instant(seen.readAtMs),
    ...counts,
    heardAt: instantOrNull(heardAtMs),
    quarantined: quarantined.has(seen.region),
  }
}

const agentsOf = (seen: RegionSightings, nowMs: number): MeshAgent[] =>
  [...seen.agents.values()]
    .map((agent) => describeAgent(seen, agent, nowMs))
    .toSorted((a, b) => (a.agent < b.agent ? -1 : 1))

const describeAgent = (seen: RegionSightings, agent: SeenAgent, nowMs: number): MeshAgent => ({
  region: seen.region,
  agent: agent.agent,
  state: stateOfAgent(seen, agent, nowMs),
  version: agent.version,
  startedAt: instantOrNull(agent.startedAtMs),
  chromium: agent.chromium === true,
  heardAt: instant(agent.heardAtMs),
  told: agent.told === null ? null : toldOf(agent.told),
})

/** An own fault of the agent is among the notices. */
const toldOf = ({ report, atMs }: NonNullable<SeenAgent['told']>): MeshAgent['told'] => {
  const { ownFault: _, ...rest } = report
  return { ...rest, at: instant(atMs) }
}

const instant = (ms: number): string => new Date(ms).toISOString()

/** The year 10000 has more digits than an instant may have. */
const instantMsMax = Date.UTC(10_000, 0, 1)

/** An agent may report any value as its time. */
const instantOrNull = (ms: unknown): string | null =>
  typeof ms === 'number' && ms >= 0 && ms < instantMsMax ? instant(ms) : null
