/** Whose checks speak: the catalog's, which the operator chose, or those of one account. */
export type Owner = { kind: 'catalog' } | { kind: 'account'; accountId: string }

/** A host that a region measured and another one measured as well. */
export type ComparedHost = {
  host: string
  owner: Owner
  /** The registrable domain, or the address where the host is one. */
  site: string
  /** Where it was connected to; null where that is not known. */
  network: string | null
  /** Since when it fails here and nowhere else; null where it does not. */
  failingSinceMs: number | null
  /** When the failures began, however long ago, and how long a round of measuring the host takes; absent where it does not fail. */
  run?: { sinceMs: number; roundMs: number }
}

/**
 * Hosts as evidence. `hosts` and `failing` are counted as they are. `sources` and `sourcesFailing` are
 * what decides: there an account, a registrable domain and a network each count at most as one.
 */
export type Tally = { hosts: number; failing: number; sources: number; sourcesFailing: number }

/** Shares are added in whatever order hosts come, and must give the same. */
const precision = 1e6

/**
 * Counts compared hosts of one region. Each host counts as its share of whatever group of it is the
 * largest: of 20 hosts of one account each is a twentieth, so that nobody's share of the sample, or of
 * its failures, grows with the number of their hosts (S-1004).
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
