import { refuse } from '@probe-mesh/contracts/schema/refusal'
import type { Refusal } from '@probe-mesh/contracts/schema/refusal'
import { privateAgentOf } from '@probe-mesh/contracts/reading/regions'
import type { Region } from '@probe-mesh/contracts/reading/regions'
import type { Transaction } from '../stores/postgres/connect.ts'
import { isOpenPrivateAgent } from './private-agents-store.ts'

/**
 * SV-3001 where one of the regions is an agent that the account does not have, or that was revoked:
 * another account's agent is not found. It is not revoked before the transaction ends.
 */
export const refuseUnknownAgent = async (
  transaction: Transaction,
  accountId: string,
  regions: readonly Region[],
): Promise<Refusal | null> => {
  for (const [index, region] of regions.entries()) {
    const agentId = privateAgentOf(region)
    if (agentId === null || (await isOpenPrivateAgent(transaction, accountId, agentId))) continue
    return refuse('SV-3001', {
      errors: [{ path: `regions[${index}]`, message: 'no such agent, or it was revoked' }],
    })
  }
  return null
}
