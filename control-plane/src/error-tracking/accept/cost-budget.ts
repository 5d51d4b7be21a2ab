import { errorPools } from '@probe-mesh/contracts/error-tracking/error-pools'

/** What may be used at once, and in each second after it. */
type Allowance = { burst: number; perSecond: number }
type CostAllowances = Record<'bytes' | 'threadMs', Allowance>

/** Projects, and addresses within projects, that are remembered: those that sent last. */
const namesMax = 50_000
/** One address has a quarter of a project's allowance. */
const ofAddress = 0.25

export type CostBudget = {
  /** Milliseconds until a body of the project, from this network, may be opened; 0 where it may now. */
  waitMs(projectId: string, network: string): number
  /** Notes what a body cost. It may be more than was left: then the next one waits. */
  spend(projectId: string, network: string, cost: { bytes: number; threadMs: number }): void
}

type Account = { atMs: number; spent: { bytes: number; threadMs: number } }
const kinds = ['bytes', 'threadMs'] as const

/**
 * What the bodies of each project, and of each address of it, may cost: bytes that come in, and time of the thread
 * that opens them. In this process.
 * @param scale of all allowances; above 1 in tests
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
  const projects = new Map<string, Account>()
  const addresses = new Map<string, Account>()

  /** What is spent at this instant: a little less with every second. */
  const accountOf = (accounts: Map<string, Account>, name: string, share: number): Account => {
    const account = accounts.get(name) ?? { atMs: now(), spent: { bytes: 0, threadMs: 0 } }
    const seconds = Math.max(0, now() - account.atMs) / 1_000
    for (const kind of kinds) {
      const back = seconds * allowances[kind].perSecond * share
      account.spent[kind] = Math.max(0, account.spent[kind] - back)
    }
    account.atMs = now()
    accounts.delete(name)
    accounts.set(name, account)
    const [eldest] = accounts.keys()
    if (accounts.size > namesMax && eldest !== undefined) accounts.delete(eldest)
    return account
  }
  const both = (projectId: string, network: string) =>
    [
      [accountOf(projects, projectId, scale), scale],
      [accountOf(addresses, `${projectId} ${network}`, scale * ofAddress), scale * ofAddress],
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
