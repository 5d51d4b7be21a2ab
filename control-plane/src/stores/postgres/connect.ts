import { requestPools } from '@probe-mesh/contracts/api/request-pools'
import { storableJson } from '@probe-mesh/contracts/schema/foreign-json'
import postgres from 'postgres'
import { namesSeveral, urlsOfHosts } from './hosts.ts'
import { followWriter } from './writer.ts'

export type Sql = postgres.Sql
/** A transaction's connection: store functions take either, so that they run inside and outside one. */
export type Transaction = postgres.TransactionSql
export type Connection = Sql | Transaction

/** Connections one process may hold; a verb needs one, a transaction one, each loop one. */
const connectionsMax = requestPools.postgresConnections.bounds.places

/** What a loop does may take long; an account waits for no statement for that long. */
const statementMsMax = 30_000
const statementMsMaxOf = (role: Role | undefined): number =>
  role === 'probe_mesh_account' ? requestPools.postgresConnections.statementMsMax : statementMsMax

/**
 * The roles that row-level security knows (migration 0006): the verbs of an account see one account
 * at a time, loops see all. Without a role a connection is the owner of the tables.
 */
export type Role = 'probe_mesh_account' | 'probe_mesh_system'

/**
 * Opens the pool. Nothing connects until the first statement.
 * @param url `postgres://user:password@host:port/database`, or several hosts with commas between: the one that takes
 * writes is found and followed
 */
export const connectPostgres = (
  url: string,
  options: { connectionsMax?: number; role?: Role } = {},
): Sql => {
  const sql = postgres(oneOf(url), {
    ...toWriter(url),
    max: options.connectionsMax ?? connectionsMax,
    connect_timeout: 10,
    idle_timeout: 0,
    max_lifetime: null,
    prepare: true,
    onnotice: () => {},
    connection: {
      application_name: 'probe-mesh',
      ...(options.role === undefined ? {} : { role: options.role }),
      TimeZone: 'UTC',
      statement_timeout: statementMsMaxOf(options.role),
      // whoever is paused in the middle of a transaction must not hold its locks for longer
      idle_in_transaction_session_timeout: 15_000,
    },
  })
  askForTypesOnce(sql)
  keepJsonStorable(sql)
  return sql
}

/** Of several servers the first: it gives user, database and settings, and the socket says which one it is. */
const oneOf = (url: string): string => (namesSeveral(url) ? (urlsOfHosts(url)[0] ?? url) : url)

/** The driver itself would try standbys again without a pause, and stay silent while no server takes writes. */
const toWriter = (url: string): object =>
  namesSeveral(url)
    ? { socket: followWriter(urlsOfHosts(url)), target_session_attrs: 'primary' }
    : {}

/**
 * The driver asks each new connection for the array types of the server, and nobody can catch the
 * error of a connection that is lost just then, which ends the process (postgres 3.4.9). The types of a
 * pool stay what they are: once a connection has brought them, no other asks.
 */
const askForTypesOnce = (sql: Sql): void => {
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
 * jsonb keeps neither NUL nor half of a surrogate pair, which a text that was cut somewhere may end
 * with: such a row would be refused for ever. Each becomes U+FFFD, as it does in a column of text.
 */
const keepJsonStorable = (sql: Sql): void => {
  for (const type of jsonTypes) {
    sql.options.serializers[type] = (value: unknown) => storableJson(JSON.stringify(value))
  }
}

/**
 * One session of its own for advisory locks, opened anew when it is lost. It waits for nobody's
 * row locks for long, so that it can go on saying that its process lives.
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
  askForTypesOnce(sql)
  keepJsonStorable(sql)
  return sql
}

/** SQLSTATE classes and client codes that mean the server is away, not that the statement is wrong. */
const awayStates = /^(08|57P|53)/
const awayCodes = new Set([
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
 * What the server ended because it took too long: a transaction whose process stood still between two
 * statements (25P03, 25P04), a statement (57014), a wait for a lock (55P03). Nothing of it was done.
 */
const endedStates = new Set(['25P03', '25P04', '57014', '55P03'])

/** Whether an error means that Postgres is away: worth trying again, nothing wrong with the input. */
export const isPostgresAway = (error: unknown): boolean => {
  const code = errorCode(error)
  return code !== null && (awayCodes.has(code) || awayStates.test(code) || endedStates.has(code))
}

/**
 * Whether nothing can be sent over the connection any more: the driver says so, or the server that ends
 * it. A server that has no room left (class 53) is away as well, and its connection stands.
 */
export const isConnectionLost = (error: unknown): boolean => {
  const code = errorCode(error)
  return (
    (code !== null && awayCodes.has(code)) ||
    (error instanceof postgres.PostgresError && /^(FATAL|PANIC)$/.test(error.severity))
  )
}

export const errorCode = (error: unknown): string | null =>
  typeof error === 'object' && error !== null && 'code' in error && typeof error.code === 'string'
    ? error.code
    : null
