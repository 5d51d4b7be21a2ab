import { refuse } from '@probe-mesh/contracts/refusal'
import type { Refusal } from '@probe-mesh/contracts/refusal'
import { updateKeyRevoked } from '../postgres/keys.ts'
import type { KeyRecord } from '../postgres/keys.ts'
import type { OperatorContext } from './context.ts'

/**
 * An operator's act: the key stops working everywhere within the 5 s that control planes remember
 * a key for. Revoking again changes nothing.
 */
export const revokeKey = async (
  context: OperatorContext,
  input: { keyId: string },
): Promise<KeyRecord | Refusal> =>
  (await updateKeyRevoked(context.sql, input.keyId, context.now())) ?? refuse('SV-3001')
