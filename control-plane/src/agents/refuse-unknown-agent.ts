import { refuse, type Refusal } from '@probe-mesh/contracts/schema/refusal'
import { privateAgentOf } from '@probe-mesh/contracts/reading/private-region'
import type { Region } from '@probe-mesh/contracts/reading/regions'
import type { Transaction } from '../stores/postgres/connect.ts'
import { isOpenPrivateAgent } from './private-agents-store.ts'

/**
 * SV-3001 if a region is a private agent that the account does not have, or that is revoked. The agent cannot
 * be revoked before the transaction ends.
 */
export const refuseUnknownAgent = async (
  tx: Transaction,
  accountId: string,
  regions: readonly Region[],
): Promise<Refusal | null> => {
  for (const [index, region] of regions.entries()) {
    const agentId = privateAgentOf(region)
    if (agentId === null || (await isOpenPrivateAgent(tx, accountId, agentId))) continue
    return refuse('SV-3001', {
      errors: [{ path: `regions[${index}]`, message: 'there is no such agent, or it is revoked' }],
    })
  }
  return null
}
