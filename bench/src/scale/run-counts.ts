import type { Region } from '@probe-mesh/contracts/reading/regions'
import { fromMs } from './mesh.ts'

const secondsCounted = 60

/** Runs of the first minute: how even they are over its seconds, and over the agents. */
export const createRunCounts = (regions: readonly Region[]) => {
  const bySecond = new Float64Array(secondsCounted)
  const byRegion = new Map(regions.map((region) => [region, new Float64Array(secondsCounted)]))
  const byAgent = new Map<string, number>()
  return {
    add: (region: Region, agent: string, slot: number): void => {
      const second = Math.floor((slot - fromMs) / 1_000)
      if (second >= secondsCounted) return
      bySecond[second] = (bySecond[second] ?? 0) + 1
      const ofRegion = byRegion.get(region)
      if (ofRegion !== undefined) ofRegion[second] = (ofRegion[second] ?? 0) + 1
      byAgent.set(agent, (byAgent.get(agent) ?? 0) + 1)
    },
    bySecond: (): number[] => [...bySecond],
    /** Of the region whose seconds differ most. */
    byRegionSecond: (): number[][] => [...byRegion.values()].map((counts) => [...counts]),
    byAgent: (): number[] => [...byAgent.values()],
  }
}

export type RunCounts = ReturnType<typeof createRunCounts>

/** The largest share by the mean one: 1 where all are equal. */
export const unevenness = (shares: readonly number[]): number =>
  Math.max(...shares) / (shares.reduce((sum, share) => sum + share, 0) / shares.length)
