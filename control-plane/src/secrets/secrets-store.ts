import { entryOfParts, partsOfEntry } from '@probe-mesh/contracts/secret/secret-host'
import type { Connection, Transaction } from '../stores/postgres/connect.ts'
import { epochMs } from '../stores/postgres/epoch-ms.ts'

/** A stored secret without its value. Times are Unix milliseconds. */
export type SecretRecord = {
  id: string
  accountId: string
  name: string
  /** Where it may be sent, as in `secret-host.ts`. */
  hosts: readonly string[]
  /** Ids of the private agents that may open it. */
  agents: readonly string[]
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

/** `sentTo` and `agents` are null in a row of an earlier version, which knows `hosts` only. */
export type StoredHosts = { hosts: readonly string[]; sentTo: readonly string[] | null }
type Row<T> = Omit<T, 'agents' | 'hosts'> & StoredHosts & { agents: readonly string[] | null }

const columns = (db: Connection) => db`
  id, account_id as "accountId", name, hosts, sent_to as "sentTo", agents, ${epochMs(db, 'created_at')} as "createdAtMs",
  ${epochMs(db, 'updated_at')} as "updatedAtMs"`

const earlierHostsMax = 20

/** The hosts and ports of entries, as earlier versions read them: never more hosts than they accept. */
const earlierHosts = (entries: readonly string[]): string[] => {
  const parts = entries.map(partsOfEntry)
  const bound = [...new Set(parts.map(({ host, port }) => `${host}:${port}`))]
  return bound.length > earlierHostsMax ? [...new Set(parts.map(({ host }) => host))] : bound
}

/** The entries of a row; null if an earlier version wrote its hosts. */
export const boundEntries = ({ hosts, sentTo }: StoredHosts): readonly string[] | null =>
  sentTo !== null && earlierHosts(sentTo).join() === hosts.join() ? sentTo : null

/** Hosts of an earlier version on their usual ports, with and without TLS, until the next start binds them. */
const unboundEntries = (hosts: readonly string[]): string[] =>
  hosts.flatMap((host) => [host, entryOfParts(partsOfEntry(`http://${host}`))])

const toRecord = <T extends StoredHosts & { agents: readonly string[] | null }>({
  sentTo,
  agents,
  ...row
}: T) => ({
  ...row,
  hosts: boundEntries({ hosts: row.hosts, sentTo }) ?? unboundEntries(row.hosts),
  agents: agents ?? [],
})

/** A row as versions before 2026-12 may have left it. */
export type UnboundSecret = Pick<SecretRecord, 'id' | 'accountId' | 'name'> &
  StoredHosts & { agents: readonly string[] | null }

/** All secrets with what may be missing; of one account: locked, so that one start binds them. */
export const findStoredHosts = async (db: Connection, accountId?: string): Promise<UnboundSecret[]> =>
  await db<UnboundSecret[]>`
    select id, account_id as "accountId", name, hosts, sent_to as "sentTo", agents from secrets
    ${accountId === undefined ? db`` : db`where account_id = ${accountId} order by id for update`}`

/** Writes what was missing. */
export const bindSecretRow = async (
  tx: Transaction,
  id: string,
  { sentTo, agents }: { sentTo: readonly string[]; agents: readonly string[] },
): Promise<void> => {
  await tx`
    update secrets set hosts = ${earlierHosts(sentTo)}, sent_to = ${[...sentTo]},
      agents = ${[...agents]}::uuid[]
    where id = ${id}`
}

/** The secrets of an account by name. */
export const findSecrets = async (db: Connection, accountId: string): Promise<SecretRecord[]> => {
  const rows = await db<Row<SecretRecord>[]>`
    select ${columns(db)} from secrets where account_id = ${accountId} order by lower(name)`
  return rows.map(toRecord)
}

/** The secret, locked until the transaction ends; null if the account has no such secret. */
export const lockSecret = async (
  tx: Transaction,
  accountId: string,
  id: string,
): Promise<SealedSecret | null> => {
  const [row] = await tx<Row<SealedSecret>[]>`
    select ${columns(tx)}, value from secrets where account_id = ${accountId} and id = ${id} for update`
  return row === undefined ? null : toRecord(row)
}

/** These secrets of an account, which no one changes or deletes before the transaction ends. */
export const holdSecrets = async (
  tx: Transaction,
  accountId: string,
  names: readonly string[],
): Promise<SecretRecord[]> => {
  if (names.length === 0) return []
  const rows = await tx<Row<SecretRecord>[]>`
    select ${columns(tx)} from secrets
    where account_id = ${accountId} and name = any(${[...names]}) order by id for share`
  return rows.map(toRecord)
}

export const insertSecret = async (tx: Transaction, secret: SealedSecret): Promise<void> => {
  await tx`
    insert into secrets (id, account_id, name, hosts, sent_to, agents, value, created_at, updated_at)
    values (${secret.id}, ${secret.accountId}, ${secret.name}, ${earlierHosts(secret.hosts)},
      ${[...secret.hosts]}, ${[...secret.agents]}::uuid[], ${secret.value},
      ${new Date(secret.createdAtMs)}, ${new Date(secret.updatedAtMs)})`
}

/** Writes hosts, agents and value of a locked secret. */
export const updateSecretRow = async (tx: Transaction, secret: SealedSecret): Promise<void> => {
  await tx`
    update secrets set hosts = ${earlierHosts(secret.hosts)}, sent_to = ${[...secret.hosts]},
      agents = ${[...secret.agents]}::uuid[], value = ${secret.value},
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
): Promise<SealedSecret[]> => {
  if (wanted.length === 0) return []
  const rows = await db<Row<SealedSecret>[]>`
    select ${columns(db)}, value from secrets
    where (account_id, name) in (
      select * from unnest(${wanted.map(({ accountId }) => accountId)}::uuid[],
        ${wanted.map(({ name }) => name)}::text[]))`
  return rows.map(toRecord)
}
