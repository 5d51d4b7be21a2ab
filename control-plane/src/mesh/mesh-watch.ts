import { startLoop } from '@probe-mesh/runtime/loop'
import type { Loop } from '@probe-mesh/runtime/loop'
import type { Clock, Presence } from '@probe-mesh/bus/port'
import type { Region } from '@probe-mesh/contracts/reading/regions'
import { presence as pace } from '@probe-mesh/contracts/mesh/subjects'
import type { Logger } from 'pino'
import { nothingSeen, seeRegion } from './sightings.ts'
import type { RegionSightings } from './sightings.ts'

export type MeshWatch = {
  /** Since when this control plane watches, Unix ms: who was gone before is not known to it. */
  readonly sinceMs: number
  /** One for each region, in their order. */
  regions(): RegionSightings[]
  close(): void
}

/**
 * Reads who is there at the pace of the announcements, and keeps what those said last who are not
 * there any more: in memory, so each control plane knows what it has seen itself.
 */
export const startMeshWatch = (capabilities: {
  presence: Pick<Presence, 'list'>
  /** Tells agents what time it is; absent: they are of this process. */
  clock?: Pick<Clock, 'tell'>
  regions: readonly Region[]
  now: () => number
  log: Logger
}): MeshWatch => {
  const { presence, regions, now, log } = capabilities
  const seen = new Map(regions.map((region) => [region, nothingSeen(region)]))
  const follow = (region: Region): Loop => {
    let isAway = false
    return startLoop({
      round: async () => {
        await capabilities.clock?.tell(region, now)
        const listed = await presence.list(region)
        seen.set(region, seeRegion(seen.get(region) ?? nothingSeen(region), listed, now()))
        isAway = false
      },
      everyMs: pace.announceMs,
      onError: (error, signal) => {
        if (!isAway && !signal.aborted) {
          log.warn({ err: error, region }, 'who is there in a region cannot be read now')
        }
        isAway = true
      },
    })
  }
  const loops = regions.map(follow)
  return {
    sinceMs: now(),
    regions: () => [...seen.values()],
    close: () => {
      for (const loop of loops) void loop.close()
    },
  }
}
