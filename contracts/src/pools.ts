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
  /** Of a pool with places: the bounds that the code uses. */
  bounds?: PoolBounds
}

/** Calls of tools at a gateway. */
export const gatewayPools = {
  gatewayCalls: {
    what: 'Calls of the MCP gateway to the control plane',
    bounds: { places: 64, placesOfOwner: 48, waiting: 1_024, waitingOfOwner: 256 },
    bound: '64 under way, 1,024 waiting for at most 12 s',
    share: '48 and 256 of one key, or of one network where the key is not known yet',
    floor: 'keys and networks take turns: a first call waits for one call of each of the others',
    refused: 'SV-9002',
    figures: ['mcp_upstream_waiting', 'mcp_upstream_refused_total'],
  },
} as const satisfies Record<string, SharedPool>

/** At the agents: works of a region's checks. */
export const agentPools = {} as const satisfies Record<string, SharedPool>

/** At the control plane: requests, streams, searches, and the connections that serve them. */
export const requestPools = {
  pings: {
    what: 'Pings of heartbeats that wait to be recorded',
    bounds: { places: 1_000, placesOfOwner: 1_000, waiting: 9_000, waitingOfOwner: 4_500 },
    bound: '10,000',
    share: '5,500 from one network (an IPv4 address, an IPv6 /64)',
    floor: 'networks take turns: recorded after two batches of 500 and one of each other network',
    refused: '503 with `Retry-After`, which clients of healthchecks.io try again',
    figures: ['http_queue_waiting', 'http_queue_refused_total'],
  },
} as const satisfies Record<string, SharedPool>

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
  ...gatewayPools,
  ...agentPools,
  ...requestPools,
  ...errorPools,
  ...outgoingPools,
  ...relayPools,
  ...targetPools,
  ...loginPools,
} satisfies Record<string, SharedPool>
export type PoolName = keyof typeof sharedPools
