import type { AnnouncedAgent } from '@probe-mesh/bus/port'
import { presence } from '@probe-mesh/contracts/subjects'

/** What is known of one member. Times are monotonic, ms. */
type Known = {
  /** As the bus last listed it; null while only former knowledge speaks for it. */
  readonly revision: number | null
  /** Since when it has stood still. */
  readonly since: number
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
export const rememberedSightings = (names: readonly string[]): Sightings => ({
  readAt: null,
  known: new Map(names.map((name) => [name, { revision: null, since: 0 }])),
})

/**
 * Takes in a list of a region's presence. An agent seen first is alive, and so is one whose
 * revision moved within `silentMs`. One no longer listed has withdrawn or timed out; but after a
 * gap, in which the bus may have lost what it held, it has `silentMs` to say so again.
 */
export const seeAgents = (
  former: Sightings,
  listed: readonly Pick<AnnouncedAgent, 'agent' | 'revision'>[],
  nowMs: number,
): Sightings => {
  const afterGap = former.readAt === null || nowMs - former.readAt > readGapMsMax
  const known = new Map<string, Known>()
  for (const { agent, revision } of listed) {
    const before = former.known.get(agent)
    const moved = before === undefined || before.revision !== revision
    known.set(agent, { revision, since: moved || afterGap ? nowMs : before.since })
  }
  for (const [agent, before] of former.known) {
    if (known.has(agent) || !(afterGap || before.revision === null)) continue
    known.set(agent, { revision: null, since: afterGap ? nowMs : before.since })
  }
  return { readAt: nowMs, known }
}

/** The bus was away: until it is heard again, nobody is judged by their silence. */
export const afterAbsence = ({ known }: Sightings): Sightings => ({ readAt: null, known })

/** Who is alive, sorted by name; oneself always is. */
export const aliveAgents = ({ readAt, known }: Sightings, self: string): string[] => {
  const alive = [...known].filter(
    ([, { since }]) => readAt === null || readAt - since < presence.silentMs,
  )
  return [...new Set([self, ...alive.map(([agent]) => agent)])].toSorted()
}
