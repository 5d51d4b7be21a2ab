import { codeOf } from '@probe-mesh/runtime/errors'
import { requestPools } from '@probe-mesh/contracts/api/request-pools'
import { storableJson } from '@probe-mesh/contracts/schema/foreign-json'
import postgres from 'postgres'
import { namesSeveral, ofIpv6, urlsOfHosts } from './hosts.ts'
import { followWriter } from './writer.ts'

export type Sql = postgres.Sql
/** A transaction. Store functions accept a `Connection`, so they run inside and outside a transaction. */
export type Transaction = postgres.TransactionSql
export type Connection = Sql | Transaction
/** A part of a statement, to be put into another one. */
export type Fragment = postgres.PendingQuery<postgres.Row[]>

/** The most connections of a process. An operation, a transaction and each loop need one each. */
const connectionsMax = requestPools.postgresConnections.bounds.places

/** A connection is closed after this time without a statement, s. */
const idleSecondsMax = 30
/** A connection is closed between two statements at this age, s; a new one opens when no other is free. */
const ageSecondsMax = 60

/** The limit of a statement of a loop, ms. Statements of accounts have a shorter limit. */
const statementMsMax = 30_000
const statementMsMaxOf = (role: Role | undefined): number =>
  role === 'probe_mesh_account' ? requestPools.postgresConnections.workMsMax : statementMsMax

/**
 * The roles of row-level security (migration 0006). Operations of an account see one account at a time; loops
 * see all. Without a role a connection acts as the owner of the tables.
 */
type Role = 'probe_mesh_account' | 'probe_mesh_system'

/**
 * Opens the pool. Nothing connects until the first statement.
 * @param url `postgres://user:password@host:port/database`, or several hosts with commas between: the one
 * that takes writes is found and followed
 */
export const connectPostgres = (url: string, options: { connectionsMax?: number; role?: Role } = {}): Sql => {
  const sql = postgres(oneOf(url), {
    ...toWriter(url),
    max: options.connectionsMax ?? connectionsMax,
    connect_timeout: 10,
    // a burst opens connections, and the driver uses all in turn: only their age leaves those that are needed
    idle_timeout: idleSecondsMax,
    max_lifetime: ageSecondsMax,
    prepare: true,
    onnotice: () => {},
    connection: {
      application_name: 'probe-mesh',
      ...(options.role === undefined ? {} : { role: options.role }),
      TimeZone: 'UTC',
      statement_timeout: statementMsMaxOf(options.role),
      // a process that is paused in a transaction must not hold its locks longer
      idle_in_transaction_session_timeout: 15_000,
    },
  })
  readTypesOnce(sql)
  keepJsonStorable(sql)
  return sql
}

/** The first of several servers provides user, database and settings; the socket decides the server. */
const oneOf = (url: string): string => (namesSeveral(url) ? (urlsOfHosts(url)[0] ?? url) : url)

/**
 * The driver itself would retry standbys without a pause, and report nothing while no server accepts writes.
 */
const toWriter = (url: string): object =>
  namesSeveral(url)
    ? { socket: followWriter(urlsOfHosts(url)), target_session_attrs: 'primary' }
    : ofIpv6(url)

/**
 * The driver reads the array types of the server on each new connection. If that connection is lost during
 * the read, the error cannot be caught and ends the process (postgres 3.4.9). The types of a pool do not
 * change, so only its first connection reads them.
 */
const readTypesOnce = (sql: Sql): void => {
  const options = sql.options as unknown as {
    shared: { typeArrayMap: object }
    fetch_types: boolean
  }
  Object.defineProperty(options, 'fetch_types', {
    get: () => Object.keys(options.shared.typeArrayMap).length === 0,
  })
}

/** The types json and jsonb, by their ids in the catalog of every server. */
const jsonTypes = [114, 3802]

/**
 * jsonb accepts neither NUL nor half of a surrogate pair, with which a truncated text may end. Such a row
 * would be refused on every retry. Each becomes U+FFFD, as in a column of text.
 */
const keepJsonStorable = (sql: Sql): void => {
  for (const type of jsonTypes) {
    sql.options.serializers[type] = (value: unknown) => storableJson(JSON.stringify(value))
  }
}

/**
 * A separate session for advisory locks, opened again when it is lost. It waits for row locks only briefly,
 * so that it can keep renewing.
 */
export const connectLeaseSession = (url: string): Sql => {
  const sql = postgres(oneOf(url), {
    ...toWriter(url),
    max: 1,
    connect_timeout: 5,
    idle_timeout: 0,
    max_lifetime: null,
    onnotice: () => {},
    connection: {
      application_name: 'probe-mesh leases',
      TimeZone: 'UTC',
      statement_timeout: 4_000,
      lock_timeout: 2_000,
    },
  })
  readTypesOnce(sql)
  keepJsonStorable(sql)
  return sql
}

/** Whether the server accepts writes now: not if it is a standby, or was switched to read-only. */
export const acceptsWrites = async (sql: Sql): Promise<boolean> => {
  const [row] = await sql<{ accepts: boolean }[]>`
    select current_setting('transaction_read_only') = 'off' and not pg_is_in_recovery() as accepts`
  return row?.accepts === true
}

/** SQLSTATE classes and client codes of an unavailable server. The statement is not wrong. */
const unavailableStates = /^(08|57P|53)/
const unavailableCodes = new Set([
  'CONNECTION_CLOSED',
  'CONNECTION_ENDED',
  'CONNECTION_DESTROYED',
  'CONNECT_TIMEOUT',
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'EAI_AGAIN',
  'ENOTFOUND',
  'ETIMEDOUT',
  'NO_WRITER',
])

/**
 * States for work that the server ended because it took too long: a transaction idle between two statements
 * (25P03, 25P04), a statement (57014), a wait for a lock (55P03). Nothing was written.
 */
const endedStates = new Set(['25P03', '25P04', '57014', '55P03'])

/** Whether Postgres is unavailable: a retry may succeed, and the input is not wrong. */
export const isPostgresUnavailable = (error: unknown): boolean => {
  const code = codeOf(error)
  return unavailableCodes.has(code) || unavailableStates.test(code) || endedStates.has(code)
}

/**
 * Whether the connection can no longer be used, as reported by the driver or by the server that ends it. A
 * server without resources (class 53) is unavailable too, but its connection still works.
 */
export const isConnectionLost = (error: unknown): boolean => {
  const code = codeOf(error)
  return (
    unavailableCodes.has(code) ||
    (error instanceof postgres.PostgresError && /^(FATAL|PANIC)$/.test(error.severity))
  )
}

/** Whether a write failed because of this unique constraint. */
export const isTaken = (error: unknown, constraint: string): boolean =>
  error instanceof postgres.PostgresError && error.code === '23505' && error.constraint_name === constraint
