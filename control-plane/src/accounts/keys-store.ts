import type { Scope } from '@probe-mesh/contracts/account/api-key'
import { keysPerAccountBudget } from '@probe-mesh/contracts/api/request-pools'
import type { Tier } from '@probe-mesh/contracts/account/tiers'
import type { Connection } from '../stores/postgres/connect.ts'
import { epochMs } from '../stores/postgres/epoch-ms.ts'

export type KeyRecord = {
  id: string
  accountId: string
  name: string
  scope: Scope
  /** Enough to recognise the key, not enough to use it. */
  hint: string
  createdAtMs: number
  revokedAtMs: number | null
}

const keyColumns = (db: Connection) => db`
  id, account_id as "accountId", name, scope, hint, ${epochMs(db, 'created_at')} as "createdAtMs",
  ${epochMs(db, 'revoked_at')} as "revokedAtMs"`

/** @param keyHash sha-256 of the key; the key itself is never stored */
export const insertKey = async (db: Connection, key: KeyRecord, keyHash: Uint8Array): Promise<void> => {
  await db`
    insert into api_keys (id, account_id, name, scope, key_hash, hint, created_at)
    values (${key.id}, ${key.accountId}, ${key.name}, ${key.scope}, ${keyHash}, ${key.hint},
      ${new Date(key.createdAtMs)})`
}

/** All keys of an account, revoked keys included, oldest first. */
export const findKeys = async (db: Connection, accountId: string): Promise<KeyRecord[]> =>
  await db<KeyRecord[]>`
    select ${keyColumns(db)} from api_keys where account_id = ${accountId} order by created_at, id`

export const countOpenKeys = async (db: Connection, accountId: string): Promise<number> => {
  const [row] = await db<{ count: number }[]>`
    select count(*)::integer as count from api_keys
    where account_id = ${accountId} and revoked_at is null`
  return row?.count ?? 0
}

/** What a request needs to know about its key. */
type KeyOwner = {
  accountId: string
  tier: Tier
  scope: Scope
  keyId: string
  keyName: string
  manyKeys: boolean
  isSuspended: boolean
}

/** The owner of a key, in one look-up by the hash. */
export const findKeyOwner = async (db: Connection, keyHash: Uint8Array): Promise<KeyOwner | null> => {
  const [row] = await db<KeyOwner[]>`
    select api_keys.id as "keyId", api_keys.name as "keyName", api_keys.scope, accounts.id as "accountId",
      accounts.tier, accounts.suspended_at is not null as "isSuspended",
      -- a key revoked within the last two minutes may have used its quota as well
      (select count(*) > ${keysPerAccountBudget} from api_keys others
        where others.account_id = accounts.id and (others.revoked_at is null
          or others.revoked_at > clock_timestamp() - interval '2 minutes')) as "manyKeys"
    from api_keys join accounts on accounts.id = api_keys.account_id
    where api_keys.key_hash = ${keyHash} and api_keys.revoked_at is null`
  return row ?? null
}

/** The account of a key, or null when there is no such key. */
export const findKeyAccount = async (db: Connection, keyId: string): Promise<string | null> => {
  const [row] = await db<{ account_id: string }[]>`
    select account_id from api_keys where id = ${keyId}`
  return row?.account_id ?? null
}

/** Revoking again keeps the first instant. @returns the key, or null when the account has no such key */
export const updateKeyRevoked = async (
  db: Connection,
  accountId: string,
  keyId: string,
  revokedAtMs: number,
): Promise<KeyRecord | null> => {
  const [row] = await db<KeyRecord[]>`
    update api_keys set revoked_at = coalesce(revoked_at, ${new Date(revokedAtMs)})
    where id = ${keyId} and account_id = ${accountId}
    returning ${keyColumns(db)}`
  return row ?? null
}
