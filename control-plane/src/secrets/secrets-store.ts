import type { Connection, Transaction } from '../stores/postgres/connect.ts'
import { epochMs } from '../stores/postgres/epoch-ms.ts'

/** A stored secret without its value. Times are Unix milliseconds. */
export type SecretRecord = {
  id: string
  accountId: string
  name: string
  hosts: readonly string[]
  createdAtMs: number
  updatedAtMs: number
}

/** With its value as the vault sealed it. */
export type SealedSecret = SecretRecord & { value: Uint8Array }

/** A secret is sealed for its account and its row, and opens for no other. */
export const secretOwner = ({ accountId, id }: Pick<SecretRecord, 'accountId' | 'id'>): readonly string[] => [
  'check secret',
  accountId,
  id,
]

const columns = (db: Connection) => db`
  id, account_id as "accountId", name, hosts, ${epochMs(db, 'created_at')} as "createdAtMs",
  ${epochMs(db, 'updated_at')} as "updatedAtMs"`

/** The secrets of an account by name. */
export const findSecrets = async (db: Connection, accountId: string): Promise<SecretRecord[]> =>
  await db<SecretRecord[]>`
    select ${columns(db)} from secrets where account_id = ${accountId} order by lower(name)`

/** The secret, locked until the transaction ends; null if the account has no such secret. */
export const lockSecret = async (
  tx: Transaction,
  accountId: string,
  id: string,
): Promise<SealedSecret | null> => {
  const [row] = await tx<SealedSecret[]>`
    select ${columns(tx)}, value from secrets where account_id = ${accountId} and id = ${id} for update`
  return row ?? null
}

/** These secrets of an account, which no one changes or deletes before the transaction ends. */
export const holdSecrets = async (
  tx: Transaction,
  accountId: string,
  names: readonly string[],
): Promise<SecretRecord[]> =>
  names.length === 0
    ? []
    : await tx<SecretRecord[]>`
        select ${columns(tx)} from secrets
        where account_id = ${accountId} and name = any(${[...names]}) order by id for share`

export const insertSecret = async (tx: Transaction, secret: SealedSecret): Promise<void> => {
  await tx`
    insert into secrets (id, account_id, name, hosts, value, created_at, updated_at)
    values (${secret.id}, ${secret.accountId}, ${secret.name}, ${[...secret.hosts]}, ${secret.value},
      ${new Date(secret.createdAtMs)}, ${new Date(secret.updatedAtMs)})`
}

/** Writes hosts and value of a locked secret. */
export const updateSecretRow = async (tx: Transaction, secret: SealedSecret): Promise<void> => {
  await tx`
    update secrets set hosts = ${[...secret.hosts]}, value = ${secret.value},
      updated_at = ${new Date(secret.updatedAtMs)}
    where id = ${secret.id}`
}

export const deleteSecretRow = async (tx: Transaction, id: string): Promise<void> => {
  await tx`delete from secrets where id = ${id}`
}

/** The secrets that each check of an account uses. */
export const findSecretUsers = async (
  db: Connection,
  accountId: string,
): Promise<{ checkId: string; names: readonly string[] }[]> =>
  await db<{ checkId: string; names: readonly string[] }[]>`
    select id as "checkId", secret_names as names from checks
    where account_id = ${accountId} and secret_names <> '{}' order by lower(name), id`

/** Gives locked checks their next revision, for what changed beside their rows. The caller opens it. */
export const raiseRevisions = async (
  tx: Transaction,
  checkIds: readonly string[],
  nowMs: number,
): Promise<void> => {
  const now = new Date(nowMs)
  await tx`
    update checks set revision = revision + 1, valid_from = greatest(valid_from, ${now})
    where id = any(${[...checkIds]}::uuid[])`
}

/** Secrets of any accounts with their sealed values, for the loops that send assignments. */
export const findSealedSecrets = async (
  db: Connection,
  wanted: readonly { accountId: string; name: string }[],
): Promise<SealedSecret[]> =>
  wanted.length === 0
    ? []
    : await db<SealedSecret[]>`
        select ${columns(db)}, value from secrets
        where (account_id, name) in (
          select * from unnest(${wanted.map(({ accountId }) => accountId)}::uuid[],
            ${wanted.map(({ name }) => name)}::text[]))`
