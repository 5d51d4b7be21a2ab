import type { Loop } from '@probe-mesh/runtime/loop'
import type { Clock, Presence } from '@probe-mesh/bus/port'
import type { Region } from '@probe-mesh/contracts/reading/regions'
import { presence as presencePace, type PresencePace } from '@probe-mesh/contracts/mesh/subjects'
import type { Logger } from 'pino'
import { keepLooping } from '../stores/faults.ts'
import { nothingSeen, seeRegion, hasNoAgent, type RegionSightings } from './sightings.ts'

export type MeshWatch = {
  /** Since when this control plane watches, Unix ms. It does not know agents that left earlier. */
  readonly sinceMs: number
  /** One for each region, in their order. */
  regions(): RegionSightings[]
  close(): void
}

/**
 * Reads which agents are online at the pace of their announcements, and keeps the last report of agents that
 * went offline. It is in memory, so each control plane knows only what it has seen itself.
 */
export const startMeshWatch = (capabilities: {
  presence: Pick<Presence, 'list'>
  /** Sends the time to agents; absent: the agents run in this process. */
  clock?: Pick<Clock, 'tell'>
  regions: readonly Region[]
  now: () => number
  log: Logger
  presencePace?: PresencePace | undefined
}): MeshWatch => {
  const { presence, regions, now, log, presencePace: pace = presencePace } = capabilities
  const seen = new Map(regions.map((region) => [region, nothingSeen(region)]))
  const follow = (region: Region): Loop =>
    keepLooping(log, {
      what: `the agents of ${region} cannot be listed`,
      round: async () => {
        await capabilities.clock?.tell(region, now)
        const listed = await presence.list(region)
        seen.set(region, seeRegion(seen.get(region) ?? nothingSeen(region), listed, now()))
      },
      everyMs: pace.announceMs,
    })
  const loops = regions.map(follow)
  return {
    sinceMs: now(),
    regions: () => [...seen.values()],
    close: () => {
      for (const loop of loops) void loop.close()
    },
  }
}

/** Agents have this long to connect after a control plane starts, ms. */
const agentsConnectMs = 30_000

/** Without agents, pages and pings work, but nothing is measured. */
export const agentsPart = (watch: () => MeshWatch | null, now: () => number) => ({
  effect: 'A region has no agent: nothing is measured from there.',
  works: () => {
    const seen = watch()
    if (seen === null || now() - seen.sinceMs < agentsConnectMs) return true
    return !seen.regions().some((region) => hasNoAgent(region, now()))
  },
})
