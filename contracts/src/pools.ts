import { addressPools, agentPools } from './agent-pools.ts'
import type { SharedPool } from './shared-pool.ts'

export { agentPools } from './agent-pools.ts'
export type { PlacedPool, SharedPool } from './shared-pool.ts'

/** At the control plane: requests, streams, searches, and the connections that serve them. */
export const requestPools = {} as const satisfies Record<string, SharedPool>

/** Events of error tracking. */
export const errorPools = {} as const satisfies Record<string, SharedPool>

/** What leaves: messages to channels, mail. */
export const outgoingPools = {} as const satisfies Record<string, SharedPool>

/** What comes from private agents, and what is set aside. */
export const relayPools = {} as const satisfies Record<string, SharedPool>

/** How often targets are asked. */
export const targetPools = { ...addressPools } as const satisfies Record<string, SharedPool>

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
