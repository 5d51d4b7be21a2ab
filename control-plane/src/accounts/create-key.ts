import { createHash, randomBytes } from 'node:crypto'
import { formatApiKey, Scope } from '@probe-mesh/contracts/account/api-key'
import { uuidv7 } from '@probe-mesh/contracts/schema/ids'
import { limits } from '@probe-mesh/contracts/schema/limits'
import { openKeysMax } from '@probe-mesh/contracts/api/request-pools'
import { refuse, refuseInvalid } from '@probe-mesh/contracts/schema/refusal'
import type { Refusal } from '@probe-mesh/contracts/schema/refusal'
import { z } from 'zod'
import { lockAccount } from './accounts-store.ts'
import { countOpenKeys, insertKey } from './keys-store.ts'
import type { KeyRecord } from './keys-store.ts'
import { operator } from '../operations/context.ts'
import type { OperatorContext } from '../operations/context.ts'
import { write } from '../operations/write.ts'

const secretBytes = 32

export const CreateKeyInput = z.strictObject({
  accountId: z.uuid('must be a UUID'),
  name: z.string().trim().min(1, 'must not be blank').max(limits.nameCharactersMax),
  scope: Scope,
})
export type CreateKeyInput = z.infer<typeof CreateKeyInput>

/**
 * Makes a key, for a user of the account or for the operator. It is shown once and stored hashed (S-2104); a
 * free account may make `read` keys only: else SV-1005 (S-2105).
 */
export const createKey = async (
  context: OperatorContext,
  input: CreateKeyInput,
  by = operator,
): Promise<{ apiKey: string; key: KeyRecord } | Refusal> => {
  const parsed = CreateKeyInput.safeParse(input)
  if (!parsed.success) return refuseInvalid([parsed.error])
  const { accountId, name, scope } = parsed.data
  const apiKey = formatApiKey(scope, randomBytes(secretBytes))
  const createdAtMs = context.now()
  const key: KeyRecord = {
    id: uuidv7(createdAtMs),
    accountId,
    name,
    scope,
    hint: `${apiKey.slice(0, apiKey.lastIndexOf('_') + 1)}…${apiKey.slice(-4)}`,
    createdAtMs,
    revokedAtMs: null,
  }
  const written = { action: 'createKey', resourceType: 'key', resourceId: () => key.id }
  return write(context, { accountId, ...by }, written, async (tx) => {
    const account = await lockAccount(tx, accountId)
    if (account === null) return refuse('SV-3001')
    if (account.tier === 'free' && scope === 'read_write') {
      return refuse('SV-1005', {
        message: 'A free account can only make read keys. Upgrade the account to Growth or Scale.',
      })
    }
    if ((await countOpenKeys(tx, accountId)) >= openKeysMax) {
      return refuse('SV-3002', {
        message: `The account has ${openKeysMax} keys, which is the most. Revoke one first.`,
      })
    }
    await insertKey(tx, key, createHash('sha256').update(apiKey).digest())
    return { apiKey, key }
  })
}
