import type { Region } from '@probe-mesh/contracts/reading/regions'
import { presence } from '@probe-mesh/contracts/mesh/subjects'
import { startDeadlineMs } from '@probe-mesh/probe-agent/schedule/start-deadline'
import type { ControlPlane } from './control-plane.ts'
import { secondMinuteMs } from './mesh.ts'
import { agentName } from './region.ts'
import type { SimulatedRegion } from './region.ts'

/** An agent looks who is there at least so often (probe-agent/share/membership), ms. */
const pollMsMax = 1_000
/** From an owner's death to its successor's first act (`mesh_silent_until_stored_max`), ms. */
const takeoverMs = 8_500

/** What happens within the second minute, ms from its start. */
const when = { killed: 10_000, left: 15_000, joined: 20_000, ownerDied: 30_000, revived: 59_000 }

/** Something that happens at an instant, Unix ms. */
export type Fault = { atMs: number; act: () => Promise<void> | void }

/** Who shares each region: now, and after the one change that the second minute brings. */
export type Memberships = ReadonlyMap<Region, readonly (readonly string[])[]>

/** An agent of the first region is killed, one of the second leaves, one joins the third. */
export const membershipsOf = (
  regions: readonly Region[],
  agentsPerRegion: number,
  withFaults: boolean,
): Memberships =>
  new Map(
    regions.map((region, place) => {
      const members = Array.from({ length: agentsPerRegion }, (_, n) => agentName(region, n))
      const rest = members.slice(1)
      const later = [rest, rest, [...members, agentName(region, agentsPerRegion)]][place]
      return [region, withFaults && later !== undefined ? [members, later] : [members]]
    }),
  )

/** Whether nobody can have run a slot: it was the killed agent's, and too old for who took over. */
export const isLostWithAgent = (
  { ownerOf, region }: SimulatedRegion,
  slot: { checkId: string; region: Region; slot: number },
  intervalSeconds: number,
): boolean => {
  const killedAt = secondMinuteMs + when.killed
  const madeUpFrom = killedAt + presence.silentMs + pollMsMax - startDeadlineMs(intervalSeconds)
  return (
    slot.region === region &&
    ownerOf(slot.checkId) === agentName(region, 0) &&
    slot.slot >= killedAt &&
    slot.slot < madeUpFrom
  )
}

/**
 * The faults of the second minute in their order: those of `membershipsOf`, and the partition's owner
 * dead in the middle of a batch.
 */
export const planFaults = (options: {
  regions: readonly SimulatedRegion[]
  memberships: Memberships
  controlPlane: ControlPlane
}): Fault[] => {
  const { regions, memberships, controlPlane } = options
  const at = (sinceMs: number, act: Fault['act']): Fault => ({
    atMs: secondMinuteMs + sinceMs,
    act,
  })
  const faults = regions.flatMap((simulated, place) => {
    const { region, agents } = simulated
    const [members = [], later] = memberships.get(region) ?? []
    if (later === undefined) return []
    const first = agentName(region, 0)
    const tell = () => simulated.tell(later)
    if (place === 0) {
      return [
        at(when.killed, () => simulated.kill(first)),
        at(when.killed + presence.silentMs + pollMsMax, tell),
        // started again, it publishes what its disk has; it takes no share any more
        at(when.revived, () => agents.get(first)?.revive()),
      ]
    }
    if (place === 1) {
      return [at(when.left, () => simulated.leave(first)), at(when.left + pollMsMax, tell)]
    }
    return [
      at(when.joined, () => simulated.join(agentName(region, members.length))),
      at(when.joined + pollMsMax, tell),
    ]
  })
  return [
    ...faults,
    at(when.ownerDied, controlPlane.die),
    at(when.ownerDied + takeoverMs, controlPlane.succeed),
  ].toSorted((a, b) => a.atMs - b.atMs)
}
