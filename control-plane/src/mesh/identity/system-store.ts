import { isEmptyDatabase } from '../../stores/postgres/load-tables.ts'
import type { Connection, Sql } from '../../stores/postgres/connect.ts'

/** What a database says of the system that it is of. */
export type DatabaseIdentity = {
  /** null: no control plane of a version that knows of ids has started on it. */
  id: string | null
  /** Whether it holds no account. */
  isEmpty: boolean
  /** Whether ClickHouse was given the id. */
  clickhouseMarked: boolean
  /** Whether any check of it was ever measured. */
  hasMeasured: boolean
}

/** Asks a database of any version, also one that nothing was ever migrated to. */
export const readDatabaseIdentity = async (sql: Sql): Promise<DatabaseIdentity> => {
  const [tables] = await sql<{ system: boolean; states: boolean }[]>`
    select to_regclass('public.system') is not null as system,
      to_regclass('public.check_states') is not null as states`
  const rows = tables?.system === true ? await readRow(sql) : []
  const measured = tables?.states === true ? await hasReading(sql) : []
  return {
    id: rows[0]?.id ?? null,
    isEmpty: await isEmptyDatabase(sql),
    clickhouseMarked: (rows[0]?.marked ?? null) !== null,
    hasMeasured: measured.length > 0,
  }
}

/** A check has its row from the moment on that it is created; regions come with readings. */
const hasReading = (sql: Connection) =>
  sql`select from check_states where regions <> '{}'::jsonb limit 1`

const readRow = (sql: Connection) =>
  sql<{ id: string; marked: Date | null }[]>`
    select id, clickhouse_marked_at as marked from system`

/** Gives a migrated database an id where it has none. @returns the one that it has now */
export const ensureSystemId = async (sql: Connection, id: string): Promise<string> => {
  await sql`insert into system (id) values (${id}) on conflict do nothing`
  return (await readRow(sql))[0]?.id ?? id
}

/** Notes that ClickHouse has the id. */
export const noteClickHouseMarked = async (sql: Connection): Promise<void> => {
  await sql`
    update system set clickhouse_marked_at = now() where clickhouse_marked_at is null`
}

/** What SECRETS_KEY sealed; null where no control plane has done so yet. */
export const readSecretsProof = async (sql: Connection): Promise<Uint8Array | null> => {
  const [row] = await sql<{ sealed: Uint8Array }[]>`select sealed from secrets_proof`
  return row?.sealed ?? null
}

/** @param options.replace what another key sealed @returns what is there now */
export const saveSecretsProof = async (
  sql: Connection,
  sealed: Uint8Array,
  { replace }: { replace: boolean } = { replace: false },
): Promise<Uint8Array> => {
  if (replace) {
    await sql`
      insert into secrets_proof (sealed) values (${sealed})
      on conflict (one) do update set sealed = excluded.sealed`
  } else await sql`insert into secrets_proof (sealed) values (${sealed}) on conflict do nothing`
  return (await readSecretsProof(sql)) ?? sealed
}

/** Credentials of channels, the newest first: what a key has to open. */
export const someCredentials = (
  sql: Connection,
  max: number,
): Promise<{ id: string; accountId: string; credential: Uint8Array }[]> =>
  sql<{ id: string; accountId: string; credential: Uint8Array }[]>`
    select id, account_id as "accountId", credential from notification_channels
    where credential is not null order by id desc limit ${max}`
