import { agentPools } from '../agent/agent-pools.ts'
import { errorPools } from '@probe-mesh/error-tracking/contracts/error-pools'
import { evidencePools } from '../mesh/evidence-pools.ts'
import { importPools } from '../check/import-pools.ts'
import { loginPools } from '../account/login-pools.ts'
import { outgoingPools } from '../channel/outgoing-pools.ts'
import { pagePools } from '../status-page/page-pools.ts'
import { relayPools } from '../agent/relay-pools.ts'
import { gatewayPools, requestPools } from './request-pools.ts'
import { targetPools } from '../mesh/target-pools.ts'
import type { SharedPool } from '../schema/shared-pool.ts'

/**
 * All resources that accounts share. `acceptance/fairness` fills each with other accounts and shows that an
 * account at its floor is served. Every pool needs a case there.
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
  ...pagePools,
  ...importPools,
} satisfies Record<string, SharedPool>
export type PoolName = keyof typeof sharedPools
