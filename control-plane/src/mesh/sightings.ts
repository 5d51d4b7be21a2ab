import type { AnnouncedAgent } from '@probe-mesh/bus/port'
import { AgentReport } from '@probe-mesh/contracts/agent/agent-report'
import {
  parsePublicAddresses,
  publicAddressesMax,
} from '@probe-mesh/contracts/target/public-addresses'
import type { Region } from '@probe-mesh/contracts/reading/regions'
import { presence } from '@probe-mesh/contracts/mesh/subjects'
import { clockUnknown, followClock } from './agent-clock.ts'
import type { AgentClock } from './agent-clock.ts'

/** An agent that is gone is spoken of for so long, ms. */
const rememberedMs = 24 * 3_600_000
/** Of one region; of those that are gone, the ones heard of longest ago are forgotten first. */
const agentsMax = 200
/** After so long without a list nobody's silence counts: the bus or this process was away, ms. */
export const meshGapMsMax = 5 * presence.announceMs
const textCharactersMax = 100

/** What is known of one agent. Times are this control plane's, Unix ms. */
export type SeenAgent = {
  agent: string
  version: string
  /** Since when it was seen to be of that version. */
  versionSinceMs: number
  startedAtMs: number
  chromium: boolean | null
  /** Where its requests come from; empty where it told nothing of that, or nothing sound. */
  addresses: readonly string[]
  revision: number
  /** When its announcement was last seen to move, or first seen at all. */
  heardAtMs: number
  /** From when its silence is counted: later than `heardAtMs` where nobody could have heard it. */
  silentFromMs: number
  isListed: boolean
  /** What it told last, and when this control plane heard that; null where it never told. */
  told: { report: AgentReport; atMs: number } | null
  clock: AgentClock
}

/** What the lists read so far have told of a region; `readAtMs` is null before the first. */
export type RegionSightings = {
  region: Region
  readAtMs: number | null
  agents: ReadonlyMap<string, SeenAgent>
}

export const nothingSeen = (region: Region): RegionSightings => ({
  region,
  readAtMs: null,
  agents: new Map(),
})

/**
 * Takes in a list of a region's presence. What an agent told stays known, with when it was told,
 * after it is gone: silence says nothing of its spool.
 */
export const seeRegion = (
  former: RegionSightings,
  listed: readonly AnnouncedAgent[],
  nowMs: number,
): RegionSightings => {
  const afterGap = former.readAtMs === null || nowMs - former.readAtMs > meshGapMsMax
  const agents = new Map<string, SeenAgent>()
  for (const [name, before] of former.agents) {
    if (nowMs - before.heardAtMs > rememberedMs) continue
    agents.set(name, { ...before, isListed: false, ...(afterGap && { silentFromMs: nowMs }) })
  }
  for (const one of listed) {
    const name = textOf(one.agent)
    const before = agents.get(name)
    const moved = before === undefined || before.revision !== one.revision
    const report = AgentReport.safeParse(one.report)
    const toldBefore = before?.startedAtMs === one.startedAt ? before.told : null
    const version = textOf(one.version)
    const clock = before?.clock ?? clockUnknown
    agents.set(name, {
      agent: name,
      version,
      versionSinceMs: before?.version === version ? before.versionSinceMs : nowMs,
      startedAtMs: one.startedAt,
      chromium: one.chromium ?? null,
      addresses: addressesOf(one.addresses),
      revision: one.revision,
      heardAtMs: moved ? nowMs : before.heardAtMs,
      silentFromMs: moved || afterGap ? nowMs : before.silentFromMs,
      isListed: true,
      told: moved && report.success ? { report: report.data, atMs: nowMs } : toldBefore,
      clock: moved && report.success ? followClock(clock, report.data.at, nowMs) : clock,
    })
  }
  return { region: former.region, readAtMs: nowMs, agents: newest(agents) }
}

/** What an agent says of itself may be anything. */
const textOf = (text: unknown): string => String(text).slice(0, textCharactersMax)

/** Others let these through their firewalls: one that is wrong makes all of them unknown. */
const addressesOf = (told: unknown): readonly string[] => {
  if (!Array.isArray(told) || told.length > publicAddressesMax) return []
  const parsed = parsePublicAddresses(told.map(textOf))
  return parsed.ok ? parsed.value : []
}

const newest = (agents: Map<string, SeenAgent>): ReadonlyMap<string, SeenAgent> =>
  agents.size <= agentsMax
    ? agents
    : new Map([...agents].toSorted(([, a], [, b]) => b.heardAtMs - a.heardAtMs).slice(0, agentsMax))

/** `unknown` is of an agent that nobody could have heard: the bus was away, or is. */
export type AgentState = 'there' | 'gone' | 'unknown'

export const stateOfAgent = (
  { readAtMs }: Pick<RegionSightings, 'readAtMs'>,
  agent: Pick<SeenAgent, 'heardAtMs' | 'silentFromMs' | 'isListed'>,
  nowMs: number,
): AgentState => {
  if (readAtMs === null || nowMs - readAtMs > meshGapMsMax) return 'unknown'
  if (agent.isListed && readAtMs - agent.heardAtMs < presence.silentMs) return 'there'
  // withdrawn, or aged away, while the bus could be heard
  return agent.silentFromMs > agent.heardAtMs && readAtMs - agent.silentFromMs < presence.silentMs
    ? 'unknown'
    : 'gone'
}

/** Whether a region was heard of just now and has nobody who measures: not where nobody could have heard one. */
export const hasNoAgent = (seen: RegionSightings, nowMs: number): boolean =>
  seen.readAtMs !== null &&
  nowMs - seen.readAtMs <= meshGapMsMax &&
  [...seen.agents.values()].every((agent) => stateOfAgent(seen, agent, nowMs) === 'gone')
