import postgres from 'postgres'

export type Sql = postgres.Sql
/** A transaction's connection: store functions take either, so that they run inside and outside one. */
export type Transaction = postgres.TransactionSql
export type Connection = Sql | Transaction

/** Connections one process may hold; a verb needs one, a transaction one, each loop one. */
const connectionsMax = 12

/**
 * Opens the pool. Nothing connects until the first statement.
 * @param url `postgres://user:password@host:port/database`
 */
export const connectPostgres = (url: string, options: { connectionsMax?: number } = {}): Sql =>
  postgres(url, {
    max: options.connectionsMax ?? connectionsMax,
    connect_timeout: 10,
    idle_timeout: 0,
    max_lifetime: null,
    prepare: true,
    onnotice: () => {},
    connection: {
      application_name: 'probe-mesh',
      TimeZone: 'UTC',
      statement_timeout: 30_000,
      // whoever is paused in the middle of a transaction must not hold its locks for longer
      idle_in_transaction_session_timeout: 15_000,
    },
  })

/**
 * One session of its own for advisory locks, opened anew when it is lost. It waits for nobody's
 * row locks for long, so that it can go on saying that its process lives.
 */
export const connectLeaseSession = (url: string): Sql =>
  postgres(url, {
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
  'ENOTFOUND',
  'ETIMEDOUT',
])

/** Whether an error means that Postgres is away: worth trying again, nothing wrong with the input. */
export const isPostgresAway = (error: unknown): boolean => {
  const code = errorCode(error)
  return code !== null && (awayCodes.has(code) || awayStates.test(code))
}

export const errorCode = (error: unknown): string | null =>
  typeof error === 'object' && error !== null && 'code' in error && typeof error.code === 'string'
    ? error.code
    : null
