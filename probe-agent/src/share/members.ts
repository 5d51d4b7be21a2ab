import type { AnnouncedAgent } from '@probe-mesh/bus/port'
import { presence } from '@probe-mesh/contracts/mesh/subjects'

/** Who shares a region, sorted by name; `chromium` are those of them that run browser checks. */
export type Members = { members: readonly string[]; chromium: readonly string[] }

/** What is known of one member. Times are monotonic, ms. */
type Known = {
  /** As the bus last listed it; null while only former knowledge speaks for it. */
  readonly revision: number | null
  /** Since when it has stood still. */
  readonly since: number
  readonly chromium: boolean
}

/** What the lists read so far have told of a region's agents. */
export type Sightings = {
  /** When the last list was read; null when nothing was read since the bus was away. */
  readonly readAt: number | null
  readonly known: ReadonlyMap<string, Known>
}

/** After so long without a list nobody's silence counts: the bus or this process was away, ms. */
export const readGapMsMax = 2 * presence.announceMs

/** A beginning that knows only names, of a former life: they count until the bus has had its say. */
export const rememberedSightings = ({ members, chromium }: Members): Sightings => ({
  readAt: null,
  known: new Map(
    members.map((name) => [name, { revision: null, since: 0, chromium: chromium.includes(name) }]),
  ),
})

/**
 * Takes in a list of a region's presence. An agent seen first is alive, and so is one whose
 * revision moved within `silentMs`. One no longer listed has withdrawn or timed out; but after a
 * gap, in which the bus may have lost what it held, it has `silentMs` to say so again.
 */
export const seeAgents = (
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

/** The bus was away: until it is heard again, nobody is judged by their silence. */
export const afterAbsence = ({ known }: Sightings): Sightings => ({ readAt: null, known })

/** Who is alive; oneself always is, with what one knows of oneself. */
export const aliveAgents = (
  { readAt, known }: Sightings,
  self: { agent: string; chromium: boolean },
): Members => {
  const alive = [...known].filter(
    ([agent, { since }]) =>
      agent !== self.agent && (readAt === null || readAt - since < presence.silentMs),
  )
  const withChromium = alive.filter(([, { chromium }]) => chromium)
  const names = ([agent]: (typeof alive)[number]): string => agent
  return {
    members: [self.agent, ...alive.map(names)].toSorted(),
    chromium: [...(self.chromium ? [self.agent] : []), ...withChromium.map(names)].toSorted(),
  }
}
