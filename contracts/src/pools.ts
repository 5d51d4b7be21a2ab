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
  ...errorPools,
  ...outgoingPools,
  ...relayPools,
  ...targetPools,
  ...loginPools,
} satisfies Record<string, SharedPool>
export type PoolName = keyof typeof sharedPools
