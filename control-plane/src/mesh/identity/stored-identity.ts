import { isEmptyDatabase } from '../../stores/postgres/load-tables.ts'
import type { Connection, Sql } from '../../stores/postgres/connect.ts'
import type { ClickHouseAddress } from '../../stores/clickhouse/open.ts'
import { connectClickHouseCluster } from '../../stores/clickhouse/cluster.ts'
import { connectClickHouse, isClickHouseUnavailable } from '../../stores/clickhouse/connect.ts'
import type { ClickHouseNode } from '../../stores/clickhouse/shard.ts'

/** What a database reports about its system. */
type DatabaseIdentity = {
  /** null: no control plane of a version with ids has used it. */
  id: string | null
  /** Whether it holds no account. */
  isEmpty: boolean
  /** Whether ClickHouse got the id. */
  clickhouseMarked: boolean
  /** Whether any check of it was ever measured. */
  hasMeasured: boolean
}

/** Reads a database of any version, even one without any migration. */
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

/** A check has its row from its creation; regions are added by readings. */
const hasReading = (sql: Connection) => sql`select from check_states where regions <> '{}'::jsonb limit 1`

const readRow = (sql: Connection) =>
  sql<{ id: string; marked: Date | null }[]>`
    select id, clickhouse_marked_at as marked from system`

/** Gives a migrated database an id if it has none. @returns its id */
export const ensureSystemId = async (sql: Connection, id: string): Promise<string> => {
  await sql`insert into system (id) values (${id}) on conflict do nothing`
  return (await readRow(sql))[0]?.id ?? id
}

/** Records that ClickHouse has the id. */
export const noteClickHouseMarked = async (sql: Connection): Promise<void> => {
  await sql`
    update system set clickhouse_marked_at = now() where clickhouse_marked_at is null`
}

/** The proof sealed with SECRETS_KEY; null if no control plane has stored one. */
export const readSecretsProof = async (sql: Connection): Promise<Uint8Array | null> => {
  const [row] = await sql<{ sealed: Uint8Array }[]>`select sealed from secrets_proof`
  return row?.sealed ?? null
}

/** @param options.replace a proof of another key @returns the stored proof */
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

/** Credentials of channels, newest first, which the right key can open. */
export const someCredentials = (
  sql: Connection,
  max: number,
): Promise<{ id: string; accountId: string; credential: Uint8Array }[]> =>
  sql<{ id: string; accountId: string; credential: Uint8Array }[]>`
    select id, account_id as "accountId", credential from notification_channels
    where credential is not null order by id desc limit ${max}`

/** What ClickHouse reports about its system. */
type ClickHouseIdentity = {
  /** The ids of all servers that answer; empty if no control plane has marked them. */
  ids: readonly string[]
  /** Whether it has no reading and no error event. */
  isEmpty: boolean
}

/** A local table on every server, also in a cluster: the other servers identify a replaced one. */
const table = 'system_id'
const holding = ['readings_raw', 'error_occurrences']

/** Reads the server, or every server of the cluster that answers. At least one must answer. */
export const readClickHouseIdentity = async (address: ClickHouseAddress): Promise<ClickHouseIdentity> => {
  const servers = await onEachServer(address, async (server) => {
    const tables = await tablesOf(server)
    const isFilled = async (): Promise<boolean> => {
      for (const name of holding) {
        if (!tables.has(name)) continue
        const rows = await server.query({
          query: `select 1 as one from ${name} limit 1`,
          format: 'JSONEachRow',
        })
        if ((await rows.json()).length > 0) return true
      }
      return false
    }
    return { ids: tables.has(table) ? await idsOf(server) : [], isFilled: await isFilled() }
  })
  return {
    ids: [...new Set(servers.flatMap(({ ids }) => ids))].toSorted(),
    isEmpty: servers.every(({ isFilled }) => !isFilled),
  }
}

/** Writes the id to each server that answers and has none. @param replace an existing id, too */
export const markClickHouse = async (
  address: ClickHouseAddress,
  id: string,
  { replace }: { replace: boolean } = { replace: false },
): Promise<void> => {
  await onEachServer(address, async (server) => {
    await server.command({
      query: `create table if not exists ${table} (id UUID, at DateTime default now()) engine = MergeTree order by id`,
    })
    if (replace) await server.command({ query: `truncate table ${table}` })
    else if ((await idsOf(server)).length > 0) return
    await server.insert({ table, values: [{ id }], format: 'JSONEachRow' })
  })
}

const onEachServer = async <T>(
  { url, cluster }: ClickHouseAddress,
  act: (server: ClickHouseNode) => Promise<T>,
): Promise<T[]> => {
  const connected = cluster === null ? connectClickHouse(url) : connectClickHouseCluster(cluster)
  const servers = 'nodes' in connected ? connected.nodes.flat().map(({ own }) => own) : [connected]
  try {
    const outcomes = await Promise.allSettled(servers.map(act))
    const failures = outcomes.flatMap((one) => (one.status === 'rejected' ? [one.reason] : []))
    const answers = outcomes.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []))
    const wrong = failures.find((failure) => !isClickHouseUnavailable(failure))
    if (wrong !== undefined) throw wrong
    if (answers.length === 0) throw failures[0]
    return answers
  } finally {
    await connected.close()
  }
}

const tablesOf = async (server: ClickHouseNode): Promise<Set<string>> => {
  const rows = await server.query({
    query: `select name from system.tables where database = currentDatabase()`,
    format: 'JSONEachRow',
  })
  return new Set((await rows.json<{ name: string }>()).map(({ name }) => name))
}

const idsOf = async (server: ClickHouseNode): Promise<string[]> => {
  const rows = await server.query({
    query: `select distinct toString(id) as id from ${table}`,
    format: 'JSONEachRow',
  })
  return (await rows.json<{ id: string }>()).map(({ id }) => id)
}
