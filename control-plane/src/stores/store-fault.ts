import { AnswerTimeout } from '@probe-mesh/runtime/deadline'
import { causesOf, codeOf, messageOf } from '@probe-mesh/runtime/errors'
import postgres from 'postgres'
import { clickhouseErrorOf, isClickHouseUnavailable, isRejectedByClickHouse } from './clickhouse/connect.ts'
import { isConflict } from './postgres/conflict.ts'
import { isPostgresUnavailable } from './postgres/connect.ts'
import { isRejectedByPostgres } from './postgres/rejected.ts'

export type StoreName = 'postgres' | 'clickhouse' | 'nats'

/**
 * What a store is like when it refuses work that is not wrong. `failing`: it reports an error of its own, such as a
 * damaged file. `refuses`: a state that this version does not know, or a statement that the store finds wrong.
 */
export type StoreState =
  | 'unavailable'
  | 'read_only'
  | 'disk_full'
  | 'forbidden'
  | 'missing'
  | 'blocked'
  | 'failing'
  | 'refuses'

/** @param store null: a broken connection or a time limit, whose error does not name its store */
export type StoreFault = { store: StoreName | null; state: StoreState }

const diskFull =
  /no space left|not enough space|disk quota exceeded|insufficient (?:storage )?resources|maximum bytes/i

/**
 * The fault of a store in an error; null if the data is refused, or the error is of our own code.
 * @param store that was asked, if the caller knows it
 */
export const storeFaultOf = (error: unknown, store: StoreName | null = null): StoreFault | null => {
  if (isRejectedByClickHouse(error) || isRejectedByPostgres(error)) return null
  const ofClickHouse = clickhouseErrorOf(error)
  if (ofClickHouse !== null) return { store: 'clickhouse', state: clickhouseState(ofClickHouse, error) }
  if (error instanceof postgres.PostgresError) {
    const state = postgresState(error)
    return state === null ? null : { store: 'postgres', state }
  }
  if (error instanceof AnswerTimeout) return { store, state: 'blocked' }
  const nats = natsState(error)
  if (nats !== null) return { store: 'nats', state: nats }
  if (/^(CONNECT|NO_WRITER)/.test(codeOf(error))) return { store: 'postgres', state: 'unavailable' }
  return isPostgresUnavailable(error) || isClickHouseUnavailable(error)
    ? { store, state: 'unavailable' }
    : null
}

/**
 * Whether a store refuses work whatever the data: the same work succeeds once the store is in order. Not for a
 * statement that the store finds wrong, which may be wrong for these values only.
 */
export const isStoreRefusing = (error: unknown): boolean => {
  const fault = storeFaultOf(error)
  return fault !== null && fault.state !== 'refuses'
}

/** Whether an error comes from a store, also if it refuses the data: no invariant of this program is broken. */
export const isFromStore = (error: unknown): boolean =>
  error instanceof postgres.PostgresError || clickhouseErrorOf(error) !== null || storeFaultOf(error) !== null

/** By SQLSTATE, or its class. */
const postgresStates: Readonly<Record<string, StoreState>> = {
  25006: 'read_only',
  53100: 'disk_full',
  42501: 'forbidden',
  '42P01': 'missing',
  42703: 'missing',
  42704: 'missing',
  42883: 'missing',
  '3F000': 'missing',
  '55006': 'blocked',
  '55P03': 'blocked',
  57014: 'blocked',
  '25P03': 'blocked',
  '25P04': 'blocked',
  '58': 'failing',
  XX: 'failing',
  F0: 'failing',
}

/** null: row-level security refuses a row of another account, which a correct statement never writes. */
const postgresState = (error: postgres.PostgresError): StoreState | null => {
  if (diskFull.test(error.message)) return 'disk_full'
  if (error.code === '42501' && error.message.includes('row-level security')) return null
  const known = postgresStates[error.code] ?? postgresStates[error.code.slice(0, 2)]
  if (known !== undefined) return known
  return isPostgresUnavailable(error) ? 'unavailable' : isConflict(error) ? 'blocked' : 'refuses'
}

const clickhouseStates: Readonly<Record<string, StoreState>> = {
  164: 'read_only',
  242: 'read_only',
  495: 'read_only',
  774: 'read_only',
  243: 'disk_full',
  192: 'forbidden',
  193: 'forbidden',
  194: 'forbidden',
  291: 'forbidden',
  497: 'forbidden',
  516: 'forbidden',
  16: 'missing',
  47: 'missing',
  60: 'missing',
  81: 'missing',
}

const clickhouseState = (
  { code, message }: { code: string; message: string },
  error: unknown,
): StoreState => {
  if (diskFull.test(message)) return 'disk_full'
  return clickhouseStates[code] ?? (isClickHouseUnavailable(error) ? 'unavailable' : 'refuses')
}

/** The most causes that are read: the client of NATS wraps refusals. */
const causesMax = 4
const natsForbidden = new Set([
  'PermissionViolationError',
  'AuthorizationError',
  'UserAuthenticationExpiredError',
])

/** null: no error of NATS. */
const natsState = (error: unknown): StoreState | null => {
  const causes = causesOf(error, causesMax)
  if (causes.some(({ name }) => natsForbidden.has(name))) return 'forbidden'
  if (!causes.some(({ name }) => /^(BusUnavailable|JetStream|NoResponders)/.test(name))) return null
  const text = causes.map(messageOf).join('\n')
  if (diskFull.test(text)) return 'disk_full'
  return /(?:stream|consumer) not found|no responders|jetstream (?:is )?not enabled|^no [\w-]+$/im.test(text)
    ? 'missing'
    : 'unavailable'
}
