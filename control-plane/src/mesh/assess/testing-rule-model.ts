import type { StatusRule } from '@probe-mesh/contracts/check/status-rule'
import type { Reading, Verdict } from '@probe-mesh/contracts/reading/reading'

/** Two intervals of a minute, two attempts and 5 s (S-902). */
const freshMs = 2 * 60_000 + 2 * 10_000 + 5_000

/** What a region told, newest last, without what did not count. */
type Told = { verdict: Verdict; atMs: number; isSlot: boolean; latencyMs: number | null }

/** Follows the readings by the words of the specification alone. */
export const modelOf = (configured: readonly string[], rule: StatusRule) => {
  const told = new Map<string, Told[]>()
  /** Also what a quarantine took back. */
  const everTold = new Map<string, Told[]>()
  let quarantined: readonly string[] = []
  const slotsNeeded = rule.failures === null || rule.failures === 1 ? 0 : rule.failures
  const of = (region: string): Told[] => told.get(region) ?? []
  const isFresh = (each: Told | undefined, nowMs: number): boolean =>
    each !== undefined && nowMs - each.atMs <= freshMs
  const runOf = (region: string): Told[] => {
    const all = of(region)
    const run = all.slice(all.findLastIndex(({ verdict }) => verdict !== 'down') + 1)
    // a silence starts over
    const gap = run.findLastIndex(
      (each, index) => index > 0 && each.atMs - (run[index - 1]?.atMs ?? 0) > freshMs,
    )
    return gap < 0 ? run : run.slice(gap)
  }
  return {
    note: ({ region, verdict, measuredAt, kind, latencyMs }: Reading): void => {
      if (!configured.includes(region) || quarantined.includes(region) || verdict === 'unmeasured') return
      if (measuredAt <= (of(region).at(-1)?.atMs ?? 0)) return
      const each = { verdict, atMs: measuredAt, isSlot: kind === 'scheduled', latencyMs }
      told.set(region, [...of(region), each])
      everTold.set(region, [...(everTold.get(region) ?? []), each])
    },
    quarantine: (now: readonly string[]): void => {
      for (const region of now) {
        // it loses a failure from which it has not recovered, and with it its vote
        const failed = of(region)
          .slice(-2)
          .some(({ verdict }) => verdict === 'down')
        if (!quarantined.includes(region) && failed) told.set(region, [])
      }
      quarantined = now
    },
    /** Whether enough regions fail for `down` at all. */
    mayBeDown: (nowMs: number): boolean => {
      const voters = configured.filter((region) => {
        const newest = of(region).at(-1)
        return isFresh(newest, nowMs) && newest?.verdict !== 'blocked'
      })
      const failing = voters.filter((region) => {
        const run = runOf(region)
        const slots = run.filter(({ isSlot }) => isSlot).length
        return run.length > 0 && slots >= slotsNeeded
      }).length
      if (failing === 0) return false
      if (rule.failingRegions === 'any' || configured.length === 1) return true
      if (rule.failingRegions === 'all') return failing >= 2 && failing === voters.length
      if (rule.failingRegions === 'majority') return failing >= 2 && failing * 2 > voters.length
      return failing >= Math.min(rule.failingRegions, configured.length)
    },
    /** The regions that were slow twice; a good reading without a latency says nothing. */
    slow: (): string[] => {
      const { slowMs } = rule
      return configured.filter((region) => {
        const two = (everTold.get(region) ?? [])
          .filter(({ verdict, latencyMs }) => verdict !== 'up' || latencyMs !== null)
          .slice(-2)
        const isSlow = two.every(
          ({ verdict, latencyMs }) =>
            verdict === 'up' && slowMs !== null && latencyMs !== null && latencyMs > slowMs,
        )
        return two.length === 2 && isSlow
      })
    },
  }
}
