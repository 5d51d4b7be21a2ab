import { refuse } from '@probe-mesh/contracts/schema/refusal'
import type { Refusal } from '@probe-mesh/contracts/schema/refusal'
import { findKeyAccount, updateKeyRevoked } from './keys-store.ts'
import type { KeyRecord } from './keys-store.ts'
import { operator } from '../operations/context.ts'
import type { OperatorContext } from '../operations/context.ts'
import { write } from '../operations/write.ts'

/**
 * The key stops working everywhere within the 5 s that control planes remember a key for. Revoking
 * again changes nothing.
 * @param input.accountId whose key it must be; absent for the operator, who may revoke any
 */
export const revokeKey = async (
  context: OperatorContext,
  { keyId, accountId }: { keyId: string; accountId?: string },
  by = operator,
): Promise<KeyRecord | Refusal> => {
  const owner = accountId ?? (await findKeyAccount(context.sql, keyId))
  if (owner === null) return refuse('SV-3001')
  const name = { action: 'revokeKey', resourceType: 'key', resourceId: () => keyId }
  return write(
    context,
    { accountId: owner, ...by },
    name,
    async (tx) => (await updateKeyRevoked(tx, owner, keyId, context.now())) ?? refuse('SV-3001'),
  )
}
