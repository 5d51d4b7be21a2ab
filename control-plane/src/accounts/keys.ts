import { createHash, randomBytes } from 'node:crypto'
import { formatApiKey } from '@probe-mesh/contracts/account/key-text'
import { Scope, type Key } from '@probe-mesh/contracts/account/api-key'
import { uuidv7 } from '@probe-mesh/contracts/schema/ids'
import { limits } from '@probe-mesh/contracts/schema/limits'
import { openKeysMax } from '@probe-mesh/contracts/api/request-pools'
import { refuse, refuseInvalid, type Refusal } from '@probe-mesh/contracts/schema/refusal'
import { z } from 'zod'
import { lockAccount, findAccount } from './accounts-store.ts'
import {
  countOpenKeys,
  insertKey,
  findKeys,
  findKeyAccount,
  updateKeyRevoked,
  type KeyRecord,
} from './keys-store.ts'
import { operator, type OperatorContext } from './operations/context.ts'
import { write } from './operations/write.ts'
import { inAccount } from '../stores/postgres/in-account.ts'

const secretBytes = 32

export const CreateKeyInput = z.strictObject({
  accountId: z.uuid('must be a UUID'),
  name: z.string().trim().min(1, 'must not be blank').max(limits.nameCharactersMax),
  scope: Scope,
})
export type CreateKeyInput = z.infer<typeof CreateKeyInput>

/**
 * Creates a key, for a user of the account or for the operator. The key is shown once and stored hashed
 * (S-2104). A free account can only create `read` keys: else SV-1005 (S-2105).
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
  const entry = { action: 'createKey', resourceType: 'key', resourceId: () => key.id }
  return write(context, { accountId, ...by }, entry, async (tx) => {
    const account = await lockAccount(tx, accountId)
    if (account === null) return refuse('SV-3001')
    if (account.tier === 'free' && scope === 'read_write') {
      return refuse('SV-1005', {
        message: 'A free account can only create read keys. Upgrade the account to Growth or Scale.',
      })
    }
    if ((await countOpenKeys(tx, accountId)) >= openKeysMax) {
      return refuse('SV-3002', {
        message: `The limit of ${openKeysMax} keys is reached. Revoke a key first.`,
      })
    }
    await insertKey(tx, key, createHash('sha256').update(apiKey).digest())
    return { apiKey, key }
  })
}

/** Lists the keys of an account by hint, revoked keys included. */
export const listKeys = (
  { sql }: Pick<OperatorContext, 'sql'>,
  { accountId }: { accountId: string },
): Promise<KeyRecord[] | Refusal> =>
  inAccount(sql, accountId, async (tx) =>
    (await findAccount(tx, accountId)) === null ? refuse('SV-3001') : findKeys(tx, accountId),
  )

/**
 * Revokes a key. Control planes cache keys for 5 s, so it stops working everywhere within 5 s. Revoking
 * again changes nothing.
 * @param input.accountId the account that must own the key; absent for the operator, who may revoke any key
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

/** A key as the API shows it. */
export const describeKey = (key: KeyRecord): Key => ({
  id: key.id,
  name: key.name,
  scope: key.scope,
  hint: key.hint,
  createdAt: new Date(key.createdAtMs).toISOString(),
  revokedAt: key.revokedAtMs === null ? null : new Date(key.revokedAtMs).toISOString(),
})
