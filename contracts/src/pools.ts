import type { PoolBounds } from '@probe-mesh/runtime/fair-pool'

/** A pool or budget that many accounts share, as `docs/overload.md` prints it. */
export type SharedPool = {
  /** What is shared. */
  what: string
  /** How much there is for everybody together. */
  bound: string
  /** The most that one account gets. */
  share: string
  /** What no other account can take from one that asks for little. */
  floor: string
  /** What happens to what does not fit. */
  refused: string
  /** Where it is counted: figures of `/metrics`. */
  figures: readonly string[]
}

/** A pool with places: its row and the bounds that the code uses. */
export type PlacedPool = SharedPool & { bounds: PoolBounds }

/** At the agents: works of a region's checks. */
export const agentPools = {} as const satisfies Record<string, SharedPool>

/** At the control plane: requests, streams, searches, and the connections that serve them. */
export const requestPools = {} as const satisfies Record<string, SharedPool>

/** Hosts that are watched for a region's own failure, by each control plane. */
const regionEvidenceBounds = { accounts: 500, hostsOfAccount: 10, catalogHosts: 5_000 } as const
export const evidencePools = {
  regionEvidence: {
    what: "Hosts that are watched for a region's own failure, at each control plane",
    bound: `${regionEvidenceBounds.catalogHosts} of the catalog, and those of ${regionEvidenceBounds.accounts} accounts`,
    share: `${regionEvidenceBounds.hostsOfAccount} hosts; in the evidence an account counts as one`,
    floor: "the catalog's places, which no account takes",
    refused: 'further hosts are measured and judged, and are no evidence about a region',
    figures: ['region_evidence_refused_total', 'region_hosts_failing', 'region_doubts_refused'],
    bounds: regionEvidenceBounds,
  },
} as const satisfies Record<string, SharedPool & { bounds: Record<string, number> }>

/** Events of error tracking. */
export const errorPools = {} as const satisfies Record<string, SharedPool>

/** What leaves: messages to channels, mail. */
export const outgoingPools = {} as const satisfies Record<string, SharedPool>

/** What comes from private agents, and what is set aside. */
export const relayPools = {} as const satisfies Record<string, SharedPool>

/** How often targets are asked. */
export const targetPools = {} as const satisfies Record<string, SharedPool>

/** Logins, sign-ups and the mail that they send. */
export const loginPools = {} as const satisfies Record<string, SharedPool>

/**
 * All that accounts share. `acceptance/fairness` fills each by other accounts and shows that one at its floor
 * is served; a pool without a case there fails.
 */
export const sharedPools = {
  ...agentPools,
  ...requestPools,
  ...evidencePools,
  ...errorPools,
  ...outgoingPools,
  ...relayPools,
  ...targetPools,
  ...loginPools,
} satisfies Record<string, SharedPool>
export type PoolName = keyof typeof sharedPools
