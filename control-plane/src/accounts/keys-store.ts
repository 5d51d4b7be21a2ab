import type { Scope } from '@probe-mesh/contracts/account/api-key'
import { keysPerAccountBudget } from '@probe-mesh/contracts/api/request-pools'
import type { Tier } from '@probe-mesh/contracts/account/tiers'
import type { Connection } from '../stores/postgres/connect.ts'

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

type KeyRow = {
  id: string
  account_id: string
  name: string
  scope: Scope
  hint: string
  created_at: Date
  revoked_at: Date | null
}

const toKey = (row: KeyRow): KeyRecord => ({
  id: row.id,
  accountId: row.account_id,
  name: row.name,
  scope: row.scope,
  hint: row.hint,
  createdAtMs: row.created_at.getTime(),
  revokedAtMs: row.revoked_at === null ? null : row.revoked_at.getTime(),
})

/** @param keyHash sha-256 of the key; the key itself is never stored */
export const insertKey = async (db: Connection, key: KeyRecord, keyHash: Uint8Array): Promise<void> => {
  await db`
    insert into api_keys (id, account_id, name, scope, key_hash, hint, created_at)
    values (${key.id}, ${key.accountId}, ${key.name}, ${key.scope}, ${keyHash}, ${key.hint},
      ${new Date(key.createdAtMs)})`
}

/** All keys of an account, revoked keys included, oldest first. */
export const findKeys = async (db: Connection, accountId: string): Promise<KeyRecord[]> => {
  const rows = await db<KeyRow[]>`
    select id, account_id, name, scope, hint, created_at, revoked_at
    from api_keys where account_id = ${accountId} order by created_at, id`
  return rows.map(toKey)
}

export const countOpenKeys = async (db: Connection, accountId: string): Promise<number> => {
  const [row] = await db<{ count: number }[]>`
    select count(*)::integer as count from api_keys
    where account_id = ${accountId} and revoked_at is null`
  return row?.count ?? 0
}

/** What a request needs to know about its key, in one look-up by the hash. */
export const findKeyOwner = async (
  db: Connection,
  keyHash: Uint8Array,
): Promise<{
  accountId: string
  tier: Tier
  scope: Scope
  keyId: string
  keyName: string
  manyKeys: boolean
  isSuspended: boolean
} | null> => {
  const [row] = await db<
    {
      account_id: string
      tier: Tier
      scope: Scope
      id: string
      name: string
      many_keys: boolean
      is_suspended: boolean
    }[]
  >`
    select api_keys.id, api_keys.name, api_keys.scope, accounts.id as account_id, accounts.tier,
      accounts.suspended_at is not null as is_suspended,
      -- a key revoked within the last two minutes may have used its quota as well
      (select count(*) > ${keysPerAccountBudget} from api_keys others
        where others.account_id = accounts.id and (others.revoked_at is null
          or others.revoked_at > clock_timestamp() - interval '2 minutes')) as many_keys
    from api_keys join accounts on accounts.id = api_keys.account_id
    where api_keys.key_hash = ${keyHash} and api_keys.revoked_at is null`
  return row === undefined
    ? null
    : {
        accountId: row.account_id,
        tier: row.tier,
        scope: row.scope,
        keyId: row.id,
        keyName: row.name,
        manyKeys: row.many_keys,
        isSuspended: row.is_suspended,
      }
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
  const [row] = await db<KeyRow[]>`
    update api_keys set revoked_at = coalesce(revoked_at, ${new Date(revokedAtMs)})
    where id = ${keyId} and account_id = ${accountId}
    returning id, account_id, name, scope, hint, created_at, revoked_at`
  return row === undefined ? null : toKey(row)
}
