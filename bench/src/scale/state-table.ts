import type { FlipWrite, StateWrite } from '@probe-mesh/control-plane/status/states-store'
import { newRegionState } from '@probe-mesh/control-plane/status/state'
import type { CheckState } from '@probe-mesh/control-plane/status/state'
import type { Region } from '@probe-mesh/contracts/reading/regions'

/** Instead of Postgres: the states that are written behind, and flips by compare-and-set. */
export const createStateTable = (
  checkIds: readonly string[],
  regions: readonly Region[],
  measuredAt: number,
) => {
  const states = new Map(checkIds.map((id) => [id, operational(regions, measuredAt)]))
  const flips = new Map<string, string[]>()
  let writes = 0

  const stateOf = (checkId: string): CheckState => {
    const state = states.get(checkId)
    if (state === undefined) throw new RangeError(`no check ${checkId}`)
    return state
  }
  return {
    stateOf,
    /** As `writeStates`: a row whose version has moved on is left alone. */
    write: ({ checkId, state }: StateWrite): void => {
      writes += 1
      if (stateOf(checkId).version === state.version) states.set(checkId, state)
    },
    /** As `recordFlips`. @returns whether the version was the expected one */
    flip: ({ checkId, expectedVersion, state, flips: made }: FlipWrite): boolean => {
      if (stateOf(checkId).version !== expectedVersion) return false
      states.set(checkId, state)
      const told = made.map(({ change }) => `${change.from} to ${change.to}`)
      flips.set(checkId, [...(flips.get(checkId) ?? []), ...told])
      return true
    },
    /** How often a row was written behind. */
    writes: () => writes,
    /** The flips of each check that flipped, in order. */
    flips: (): ReadonlyMap<string, readonly string[]> => flips,
  }
}

export type StateTable = ReturnType<typeof createStateTable>

/** A check that has been up in all its regions for long. */
const operational = (regions: readonly Region[], measuredAt: number): CheckState => ({
  status: 'operational',
  statusReason: null,
  statusSinceMs: measuredAt,
  version: 1,
  regions: Object.fromEntries(
    regions.map((region) => [
      region,
      { ...newRegionState, verdict: 'up', latencyMs: 100, measuredAt, goods: 2 },
    ]),
  ),
})
