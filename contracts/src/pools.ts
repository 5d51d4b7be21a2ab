import { agentPools } from './agent-pools.ts'
import { errorPools } from './error-pools.ts'
import { evidencePools } from './evidence-pools.ts'
import { loginPools } from './login-pools.ts'
import { outgoingPools } from './outgoing-pools.ts'
import { gatewayPools, requestPools } from './request-pools.ts'
import { targetPools } from './target-pools.ts'
import { poisonBounds } from './set-aside.ts'
import type { SharedPool } from './shared-pool.ts'

/** What comes from private agents, and what is set aside. */
export const relayPools = {
  poison: {
    what: 'Messages that cannot be read, kept for the operator to look at',
    bound: `${poisonBounds.allPerMinute.rows} in a minute and loop`,
    share: `${poisonBounds.ownerPerMinute.rows} in a minute and loop of one region or private agent`,
    floor: 'what others send counts in no share but their own',
    refused: 'dropped and counted; the message is acknowledged',
    figures: ['ingest_poison_dropped_total', 'error_poison_dropped_total'],
  },
} as const satisfies Record<string, SharedPool>

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
