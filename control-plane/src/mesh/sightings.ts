import type { AnnouncedAgent } from '@probe-mesh/bus/port'
import { AgentReport } from '@probe-mesh/contracts/agent/agent-report'
import { parsePublicAddresses, publicAddressesMax } from '@probe-mesh/contracts/target/public-addresses'
import type { Region } from '@probe-mesh/contracts/reading/regions'
import { presence } from '@probe-mesh/contracts/mesh/subjects'

/** An offline agent is remembered for this long, ms. */
const rememberedMs = 24 * 3_600_000
/** Agents of one region. Beyond this, the agents with the oldest announcements are forgotten. */
const agentsMax = 200
/**
 * After a gap this long between lists, an agent's silence does not count: NATS or this process was
 * unavailable, ms.
 */
export const meshGapMsMax = 5 * presence.announceMs
const textCharactersMax = 100

/** What is known about one agent. Times are of this control plane's clock, Unix ms. */
export type SeenAgent = {
  agent: string
  version: string
  /** Since when it has had this version. */
  versionSinceMs: number
  startedAtMs: number
  chromium: boolean | null
  /** The source addresses of its requests; empty if it announced none, or an invalid one. */
  addresses: readonly string[]
  revision: number
  /** When its announcement last changed, or was first seen. */
  heardAtMs: number
  /** From when its silence counts: later than `heardAtMs` if it could not have been heard. */
  silentFromMs: number
  isListed: boolean
  /** Its last report, and when this control plane received it; null if it never reported. */
  told: { report: AgentReport; atMs: number } | null
  clock: AgentClock
}

/** The state of a region by the lists so far; `readAtMs` is null before the first. */
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
 * Adds a list of a region's agents. The last report of an agent is kept, with its time, after the agent is
 * offline: an offline agent may still have readings in its spool.
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
    const agent = textOf(one.agent)
    const before = agents.get(agent)
    agents.set(agent, { agent, ...seeAgent(before, one, nowMs, afterGap), ...reported(before, one, nowMs) })
  }
  return { region: former.region, readAtMs: nowMs, agents: newest(agents) }
}

const seeAgent = (
  before: SeenAgent | undefined,
  listed: AnnouncedAgent,
  nowMs: number,
  afterGap: boolean,
): Omit<SeenAgent, 'agent' | 'told' | 'clock'> => {
  const version = textOf(listed.version)
  // a changed announcement was made just now
  const unchanged = before?.revision === listed.revision ? before : undefined
  return {
    version,
    versionSinceMs: before?.version === version ? before.versionSinceMs : nowMs,
    startedAtMs: listed.startedAt,
    chromium: listed.chromium ?? null,
    addresses: addressesOf(listed.addresses),
    revision: listed.revision,
    heardAtMs: unchanged?.heardAtMs ?? nowMs,
    silentFromMs: afterGap ? nowMs : (unchanged?.silentFromMs ?? nowMs),
    isListed: true,
  }
}

/** The report of an announcement that changed, and the clock by it; otherwise what is known. */
const reported = (
  before: SeenAgent | undefined,
  listed: AnnouncedAgent,
  nowMs: number,
): Pick<SeenAgent, 'told' | 'clock'> => {
  const clock = before?.clock ?? clockUnknown
  const report = AgentReport.safeParse(listed.report)
  if (before?.revision === listed.revision || !report.success) {
    return { told: before?.startedAtMs === listed.startedAt ? before.told : null, clock }
  }
  return {
    told: { report: report.data, atMs: nowMs },
    clock: followClock(clock, report.data.at, nowMs),
  }
}

/** An agent may announce any value. */
const textOf = (text: unknown): string => String(text).slice(0, textCharactersMax)

/** Others allow these addresses in their firewalls, so one invalid address makes all of them unknown. */
const addressesOf = (told: unknown): readonly string[] => {
  if (!Array.isArray(told) || told.length > publicAddressesMax) return []
  const parsed = parsePublicAddresses(told.map(textOf))
  return parsed.ok ? parsed.value : []
}

const newest = (agents: Map<string, SeenAgent>): ReadonlyMap<string, SeenAgent> =>
  agents.size <= agentsMax
    ? agents
    : new Map([...agents].toSorted(([, a], [, b]) => b.heardAtMs - a.heardAtMs).slice(0, agentsMax))

/** `unknown`: the agent could not have been heard, because NATS was or is unavailable. */
export type AgentState = 'there' | 'gone' | 'unknown'

export const stateOfAgent = (
  { readAtMs }: Pick<RegionSightings, 'readAtMs'>,
  agent: Pick<SeenAgent, 'heardAtMs' | 'silentFromMs' | 'isListed'>,
  nowMs: number,
): AgentState => {
  if (readAtMs === null || nowMs - readAtMs > meshGapMsMax) return 'unknown'
  if (agent.isListed && readAtMs - agent.heardAtMs < presence.silentMs) return 'there'
  // withdrawn or expired while NATS was available
  return agent.silentFromMs > agent.heardAtMs && readAtMs - agent.silentFromMs < presence.silentMs
    ? 'unknown'
    : 'gone'
}

/**
 * Whether a region certainly has no agent: its list was read just now, and no agent could have been missed.
 */
export const hasNoAgent = (seen: RegionSightings, nowMs: number): boolean =>
  seen.readAtMs !== null &&
  nowMs - seen.readAtMs <= meshGapMsMax &&
  [...seen.agents.values()].every((agent) => stateOfAgent(seen, agent, nowMs) === 'gone')

/** This many consecutive announcements must agree: one that is read late makes a clock look slow. */
const samplesMax = 5
/** A clock is reported from the first difference on, until it falls below the second, ms. */
const offFromMs = 10_000
const rightBelowMs = 5_000

/** An agent's clock, from its announcements. Times are of this control plane's clock, Unix ms. */
type AgentClock = {
  /** How far it was ahead of our clock at the last announcements; behind if below 0. */
  samples: readonly number[]
  /** The smallest of them if all have the same sign; otherwise 0. */
  offMs: number
  /** Since when it is too far off; null if it is not, or if that is unknown. */
  sinceMs: number | null
}

export const clockUnknown: AgentClock = { samples: [], offMs: 0, sinceMs: null }

/** Adds an announcement with the time that the agent wrote into it. */
export const followClock = (before: AgentClock, theirMs: number, nowMs: number): AgentClock => {
  const samples = [...before.samples, theirMs - nowMs].slice(-samplesMax)
  const offMs = agreedOf(samples)
  const isOff =
    before.sinceMs === null
      ? samples.length === samplesMax && Math.abs(offMs) >= offFromMs
      : Math.abs(offMs) >= rightBelowMs
  return { samples, offMs, sinceMs: isOff ? (before.sinceMs ?? nowMs) : null }
}

const agreedOf = (samples: readonly number[]): number => {
  const least = Math.min(...samples)
  const most = Math.max(...samples)
  return least > 0 ? least : Math.min(0, most)
}
