import { addressRate } from '@probe-mesh/contracts/agent/agent-pools'
import { networkOf } from '@probe-mesh/contracts/target/network-of'

/** Limits the connections of the mesh to one address. */
export type TargetRate = {
  /**
   * Counts one connection to an address.
   * @returns false when it exceeds the limit and its account's share
   */
  spend(address: string, accountId: string): boolean
  /** Addresses in memory. */
  readonly size: number
  readonly counts: Readonly<TargetRateCounts>
}

type TargetRateCounts = {
  /** Connections that were refused. */
  refused: number
  /** Addresses, and accounts of one, evicted early because there were too many. */
  forgotten: number
}

/**
 * Connections per second to one address from one region. Large sites use few addresses: 100 allow
 * 6,000 checks a minute of one CDN address, and do not disturb any server.
 */
export const targetRequestsPerSecondDefault = addressRate.perSecond

/** About 15 MB. When full, the address used longest ago is evicted, whose budget refills first. */
const addressesMaxDefault = 50_000
/** Accounts of all addresses together: beyond this the address used longest ago is evicted. */
const accountsMaxDefault = 100_000
/** Accounts of one address: beyond this the account that used it longest ago is evicted. */
const accountsOfAddressMax = 2_000

type Address = {
  /** When the shared bucket of all accounts is full again. */
  fullAt: number
  /** When all buckets are full again: until then it is kept. */
  allFullAt: number
  /** The same for each account's own bucket, the least recently used first. */
  readonly accounts: Map<string, number>
}

/**
 * A GCRA bucket per address (per /64 of IPv6, which is one site): it stores the instant at which
 * the bucket is full again, and nothing for a full bucket. Each account has its own bucket in it
 * for its share of the rate, independent of the other accounts. Beyond its share an account may use
 * what the address's bucket allows (S-3507).
 * @param perSecond read each time: it falls with the number of agents in the region
 * @param nowMs monotonic
 */
export const createTargetRate = ({
  perSecond,
  nowMs = () => performance.now(),
  addressesMax = addressesMaxDefault,
  accountsMax = accountsMaxDefault,
}: {
  perSecond: () => number
  nowMs?: () => number
  addressesMax?: number
  accountsMax?: number
}): TargetRate => {
  /** The least recently used first. */
  const addresses = new Map<string, Address>()
  const counts: TargetRateCounts = { refused: 0, forgotten: 0 }
  let accountCount = 0

  const remove = (key: string, { accounts }: Address): void => {
    accountCount -= accounts.size
    addresses.delete(key)
  }
  const forgetFull = (now: number): void => {
    for (const [key, address] of addresses) {
      if (address.allFullAt > now) break
      remove(key, address)
    }
  }
  const forgetOldest = (): void => {
    const [oldest] = addresses
    if (oldest === undefined) return
    remove(...oldest)
    counts.forgotten += 1
  }
  /** Number of accounts that used this address in the last seconds, this one included. */
  const countActive = ({ accounts }: Address, accountId: string, now: number): number => {
    for (const [id, fullAt] of accounts) {
      if (fullAt > now) break
      accounts.delete(id)
      accountCount -= 1
    }
    return accounts.size + (accounts.has(accountId) ? 0 : 1)
  }
  const spendShare = ({ accounts }: Address, accountId: string, fullAt: number): void => {
    if (!accounts.delete(accountId)) accountCount += 1
    if (accounts.size >= accountsOfAddressMax) {
      const [longest] = accounts.keys()
      if (longest !== undefined && accounts.delete(longest)) accountCount -= 1
      counts.forgotten += 1
    }
    accounts.set(accountId, fullAt)
  }
  const remember = (key: string, address: Address, now: number): void => {
    addresses.delete(key)
    // its accounts still count: evict others first
    forgetFull(now)
    const hasTooMany = (): boolean => addresses.size >= addressesMax || accountCount > accountsMax
    while (addresses.size > 0 && hasTooMany()) forgetOldest()
    addresses.set(key, address)
  }
  return {
    spend: (to, accountId) => {
      const now = nowMs()
      const key = networkOf(to)
      const address = addresses.get(key) ?? {
        fullAt: now,
        allFullAt: now,
        accounts: new Map<string, number>(),
      }
      const rate = perSecond()
      const burst = Math.max(1, rate * addressRate.burstSeconds)
      const costMs = 1_000 / rate
      const next = Math.max(address.fullAt, now) + costMs
      const active = Math.min(countActive(address, accountId, now), addressRate.accountsMax)
      const ownCostMs = costMs * active
      const ownBurstMs = Math.min(burst, addressRate.burstOfAccount) * ownCostMs
      const ownNext = Math.max(address.accounts.get(accountId) ?? now, now) + ownCostMs
      if (ownNext - now > ownBurstMs && next - now > burst * costMs) {
        counts.refused += 1
        return false
      }
      // Shares are also spent beyond the burst, so that no account uses more than its share in that time. The
      // debt is limited, so that it does not outlast its cause.
      address.fullAt = Math.min(next, now + 2 * burst * costMs)
      const ownFullAt = Math.min(ownNext, now + ownBurstMs)
      address.allFullAt = Math.max(address.allFullAt, address.fullAt, ownFullAt)
      spendShare(address, accountId, ownFullAt)
      remember(key, address, now)
      return true
    },
    get size() {
      return addresses.size
    },
    counts,
  }
}
