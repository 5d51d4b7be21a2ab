import type { AnnouncedAgent } from '@probe-mesh/bus/port'
import { presence } from '@probe-mesh/contracts/mesh/subjects'

/**
 * The agents that share a region, sorted by name; `chromium` lists those that run browser checks.
 */
export type Members = { members: readonly string[]; chromium: readonly string[] }

/** State of one member. Times are monotonic, ms. */
type Known = {
  /** From the latest list; null when only earlier knowledge exists. */
  readonly revision: number | null
  /** Time of its latest change. */
  readonly since: number
  readonly chromium: boolean
}

/** The state of a region's agents by the lists so far. */
export type Sightings = {
  /** When the latest list was read; null: none since the bus was unavailable. */
  readonly readAt: number | null
  readonly known: ReadonlyMap<string, Known>
}

/**
 * After a longer gap without lists silence does not count: the bus or this process was unavailable,
 * ms.
 */
export const readGapMsMax = 2 * presence.announceMs

/** The start state from remembered names: they count until the bus has answered. */
export const rememberedSightings = ({ members, chromium }: Members): Sightings => ({
  readAt: null,
  known: new Map(
    members.map((name) => [name, { revision: null, since: 0, chromium: chromium.includes(name) }]),
  ),
})

/**
 * Applies a list of a region's agents. A new agent is alive, and so is one whose revision changed
 * within `silentMs`. An agent missing from the list has withdrawn or timed out. After a gap, in
 * which the bus may have lost data, it has `silentMs` to reappear.
 */
export const applyList = (
  former: Sightings,
  listed: readonly Pick<AnnouncedAgent, 'agent' | 'revision' | 'chromium'>[],
  nowMs: number,
): Sightings => {
  const afterGap = former.readAt === null || nowMs - former.readAt > readGapMsMax
  const known = new Map<string, Known>()
  for (const { agent, revision, chromium } of listed) {
    const before = former.known.get(agent)
    const moved = before === undefined || before.revision !== revision
    const since = moved || afterGap ? nowMs : before.since
    known.set(agent, { revision, since, chromium: chromium === true })
  }
  for (const [agent, before] of former.known) {
    if (known.has(agent) || !(afterGap || before.revision === null)) continue
    known.set(agent, { ...before, revision: null, since: afterGap ? nowMs : before.since })
  }
  return { readAt: nowMs, known }
}

/** The bus was unavailable: until the next list, silence does not count. */
export const afterOutage = ({ known }: Sightings): Sightings => ({ readAt: null, known })

/** The live agents; this agent is always one, with its own settings. */
export const liveAgents = (
  { readAt, known }: Sightings,
  self: { agent: string; chromium: boolean },
): Members => {
  const alive = [...known].filter(
    ([agent, { since }]) => agent !== self.agent && (readAt === null || readAt - since < presence.silentMs),
  )
  const withChromium = alive.filter(([, { chromium }]) => chromium)
  const names = ([agent]: (typeof alive)[number]): string => agent
  return {
    members: [self.agent, ...alive.map(names)].toSorted(),
    chromium: [...(self.chromium ? [self.agent] : []), ...withChromium.map(names)].toSorted(),
  }
}
