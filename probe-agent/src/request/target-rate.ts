import { networkOf } from '@probe-mesh/contracts/network-of'

/** How often one address may be connected to: what the mesh asks of anybody is bounded. */
export type TargetRate = {
  /** Counts one connection to an address. @returns false where it would be one too many */
  spend(address: string): boolean
  /** Addresses that are remembered now. */
  readonly size: number
  readonly counts: Readonly<TargetRateCounts>
}

export type TargetRateCounts = {
  /** Connections not made. */
  refused: number
  /** Addresses forgotten before their time because there were too many. */
  forgotten: number
}

/**
 * A second of one address from one region. Large sites stand behind few addresses: 100 are 6,000
 * checks a minute of one address of a CDN, and a nuisance to no server that can be monitored at all.
 */
export const targetRequestsPerSecondDefault = 100

/** So much may come at once: slots are spread, retries and pages with their pieces are not. */
const burstSeconds = 2

/** About 5 MB. A full one forgets who was asked longest ago, which has its budget back first. */
const addressesMaxDefault = 50_000

/**
 * A bucket per address (one /64 of IPv6, which is one site's), in the form of GCRA: for each address
 * the instant at which its bucket will be full again, and nothing where it is.
 * @param perSecond asked anew each time: it falls with the agents that share the region
 * @param nowMs monotonic
 */
export const createTargetRate = ({
  perSecond,
  nowMs = () => performance.now(),
  addressesMax = addressesMaxDefault,
}: {
  perSecond: () => number
  nowMs?: () => number
  addressesMax?: number
}): TargetRate => {
  /** The least recently spent first. */
  const fullAt = new Map<string, number>()
  const counts: TargetRateCounts = { refused: 0, forgotten: 0 }

  const forgetFull = (now: number): void => {
    for (const [key, at] of fullAt) {
      if (at > now) break
      fullAt.delete(key)
    }
  }
  return {
    spend: (address) => {
      const now = nowMs()
      const key = networkOf(address)
      const costMs = 1_000 / perSecond()
      const next = Math.max(fullAt.get(key) ?? now, now) + costMs
      if (next - now > Math.max(burstSeconds * 1_000, costMs)) {
        counts.refused += 1
        return false
      }
      fullAt.delete(key)
      forgetFull(now)
      if (fullAt.size >= addressesMax) {
        const [oldest] = fullAt.keys()
        if (oldest !== undefined) fullAt.delete(oldest)
        counts.forgotten += 1
      }
      fullAt.set(key, next)
      return true
    },
    get size() {
      return fullAt.size
    },
    counts,
  }
}
