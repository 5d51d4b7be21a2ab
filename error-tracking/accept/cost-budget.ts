import { errorPools } from '../contracts/error-pools.ts'

/** The most that can be used at once, and the refill per second. */
type Allowance = { burst: number; perSecond: number }
type CostAllowances = Record<'bytes' | 'threadMs', Allowance>

/** Tracked projects, and tracked addresses within projects. The least recently used ones are dropped. */
const entriesMax = 50_000
/** One address has a quarter of a project's allowance. */
const ofAddress = 0.25

export type CostBudget = {
  /** Milliseconds until a body of the project from this network may be opened; 0 means now. */
  waitMs(projectId: string, network: string): number
  /** Subtracts the cost of a body. It can exceed the remaining budget; then the next body waits. */
  spend(projectId: string, network: string, cost: { bytes: number; threadMs: number }): void
}

type Usage = { atMs: number; spent: { bytes: number; threadMs: number } }
const kinds = ['bytes', 'threadMs'] as const

/**
 * Limits the cost of bodies for each project and each of its addresses: received bytes, and time of the
 * thread that opens them. Each process counts for itself.
 * @param scale multiplies all allowances; above 1 in tests
 */
export const createCostBudget = ({
  now,
  scale = 1,
  limits: allowances = errorPools.errorCost.limits,
}: {
  now: () => number
  scale?: number
  limits?: CostAllowances
}): CostBudget => {
  const projects = new Map<string, Usage>()
  const addresses = new Map<string, Usage>()

  /** The usage at this instant, after the refill since the last call. */
  const usageOf = (usages: Map<string, Usage>, name: string, share: number): Usage => {
    const usage = usages.get(name) ?? { atMs: now(), spent: { bytes: 0, threadMs: 0 } }
    const seconds = Math.max(0, now() - usage.atMs) / 1_000
    for (const kind of kinds) {
      const refill = seconds * allowances[kind].perSecond * share
      usage.spent[kind] = Math.max(0, usage.spent[kind] - refill)
    }
    usage.atMs = now()
    usages.delete(name)
    usages.set(name, usage)
    const [oldest] = usages.keys()
    if (usages.size > entriesMax && oldest !== undefined) usages.delete(oldest)
    return usage
  }
  const both = (projectId: string, network: string) =>
    [
      [usageOf(projects, projectId, scale), scale],
      [usageOf(addresses, `${projectId} ${network}`, scale * ofAddress), scale * ofAddress],
    ] as const
  return {
    waitMs: (projectId, network) => {
      let waitMs = 0
      for (const [{ spent }, share] of both(projectId, network)) {
        for (const kind of kinds) {
          const { burst, perSecond } = allowances[kind]
          const over = spent[kind] - burst * share
          if (over >= 0) waitMs = Math.max(waitMs, 1, (over / (perSecond * share)) * 1_000)
        }
      }
      return waitMs
    },
    spend: (projectId, network, cost) => {
      for (const [{ spent }] of both(projectId, network)) {
        for (const kind of kinds) spent[kind] += cost[kind]
      }
    },
  }
}
