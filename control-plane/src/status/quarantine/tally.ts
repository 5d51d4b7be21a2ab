/** The owner of a check: the catalog, which the operator chose, or an account. */
export type Owner = { kind: 'catalog' } | { kind: 'account'; accountId: string }

/** A host that this region and another one measured. */
export type ComparedHost = {
  host: string
  owner: Owner
  /** The registrable domain, or the address if the host is one. */
  site: string
  /** The network of its address; null if unknown. */
  network: string | null
  /** Since when it fails only here; null if it does not. */
  failingSinceMs: number | null
  /**
   * When the failures began, however long ago, and how long one round of measuring the host takes; absent if
   * it does not fail.
   */
  run?: { sinceMs: number; roundMs: number }
}

/**
 * Hosts as evidence. `hosts` and `failing` are plain counts. `sources` and `sourcesFailing` decide: an
 * account, a registrable domain and a network each count as one at most.
 */
export type Tally = { hosts: number; failing: number; sources: number; sourcesFailing: number }

/** Sums must not depend on the order of hosts. */
const precision = 1e6

/**
 * Counts the compared hosts of a region. Each host counts as its share of its largest group: one of 20 hosts
 * of an account counts as a twentieth. So the weight of an account does not grow with the number of its hosts
 * (S-1004).
 */
export const tallyOf = (compared: readonly ComparedHost[]): Tally => {
  const groups = grouping.map((groupOf) => countBy(compared, groupOf))
  const tally: Tally = { hosts: 0, failing: 0, sources: 0, sourcesFailing: 0 }
  for (const one of compared) {
    let largest = 1
    for (const [n, groupOf] of grouping.entries()) {
      const group = groupOf(one)
      if (group !== null) largest = Math.max(largest, groups[n]?.get(group) ?? 1)
    }
    tally.hosts++
    tally.sources += 1 / largest
    if (one.failingSinceMs === null) continue
    tally.failing++
    tally.sourcesFailing += 1 / largest
  }
  return {
    ...tally,
    sources: rounded(tally.sources),
    sourcesFailing: rounded(tally.sourcesFailing),
  }
}

type GroupOf = (one: ComparedHost) => string | null
const grouping: readonly GroupOf[] = [
  ({ site }) => site,
  ({ network }) => network,
  ({ owner }) => (owner.kind === 'account' ? owner.accountId : null),
]

const countBy = (compared: readonly ComparedHost[], groupOf: GroupOf): Map<string, number> => {
  const counts = new Map<string, number>()
  for (const one of compared) {
    const group = groupOf(one)
    if (group !== null) counts.set(group, (counts.get(group) ?? 0) + 1)
  }
  return counts
}

const rounded = (sum: number): number => Math.round(sum * precision) / precision
