import { agentPools } from './agent-pools.ts'
import { errorPools } from './error-pools.ts'
import { evidencePools } from './evidence-pools.ts'
import { loginPools } from './login-pools.ts'
import { outgoingPools } from './outgoing-pools.ts'
import { relayPools } from './relay-pools.ts'
import { gatewayPools, requestPools } from './request-pools.ts'
import { targetPools } from './target-pools.ts'
import type { SharedPool } from './shared-pool.ts'

/**
 * All that accounts share. `acceptance/fairness` fills each by other accounts and shows that one at its floor
 * is served; a pool without a case there fails.
 */
export const sharedPools = {
  ...gatewayPools,
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
