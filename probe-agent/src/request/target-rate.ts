import { addressRate } from '@probe-mesh/contracts/agent/agent-pools'
import { networkOf } from '@probe-mesh/contracts/target/network-of'

/** How often one address may be connected to: what the mesh asks of anybody is bounded. */
export type TargetRate = {
  /**
   * Counts one connection to an address.
   * @returns false where it would be one too many, and more than its account's share
   */
  spend(address: string, accountId: string): boolean
  /** Addresses that are remembered now. */
  readonly size: number
  readonly counts: Readonly<TargetRateCounts>
}

export type TargetRateCounts = {
  /** Connections not made. */
  refused: number
  /** Addresses, and accounts of one, forgotten before their time because there were too many. */
  forgotten: number
}

/**
 * A second of one address from one region. Large sites stand behind few addresses: 100 are 6,000
 * checks a minute of one address of a CDN, and a nuisance to no server that can be monitored at all.
 */
export const targetRequestsPerSecondDefault = addressRate.perSecond

/** About 15 MB. A full one forgets who was asked longest ago, which has its budget back first. */
const addressesMaxDefault = 50_000
/** Accounts of all addresses together: beyond, the address asked longest ago is forgotten. */
const accountsMaxDefault = 100_000
/** Accounts of one address: beyond, the one that asked longest ago is forgotten. */
const accountsOfAddressMax = 2_000

type Address = {
  /** When the bucket of all accounts together will be full again. */
  fullAt: number
  /** When all its buckets will be: until then it is remembered. */
  allFullAt: number
  /** The same of each account's own bucket, the least recently spent first. */
  readonly accounts: Map<string, number>
}

/**
 * A bucket per address (one /64 of IPv6, which is one site's), in the form of GCRA: for each address
 * the instant at which its bucket will be full again, and nothing where it is. In it each account has a
 * bucket of its own, for its share of the rate: what that allows passes whatever the others ask for. What an
 * account asks beyond passes while the address's bucket allows it (S-3507).
 * @param perSecond asked anew each time: it falls with the agents that share the region
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
  /** The least recently spent first. */
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
  /** How many accounts asked this address in the last seconds, this one included. */
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
    // its accounts are counted: they stay out of what is forgotten now
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
      // shares are spent beyond the burst as well, so that nobody has what is beyond a share meanwhile; a debt
      // that counts against the accounts long after it was made is not
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
