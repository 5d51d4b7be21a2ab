import { ClickHouseError } from '@clickhouse/client'
import { BusUnavailable } from '@probe-mesh/bus/port'
import { AnswerTimeout } from '@probe-mesh/runtime/deadline'
import postgres from 'postgres'
import { expect, test } from 'vitest'
import { isFromStore, isStoreRefusing, storeFaultOf } from './store-fault.ts'

const ofPostgres = (code: string, message = 'no') =>
  new postgres.PostgresError({ code, message, severity: 'ERROR' } as never)
const ofClickHouse = (code: number, message = 'no') =>
  new ClickHouseError({ code: String(code), message, type: 'X' })
const coded = (code: string) => Object.assign(new Error('no'), { code })
const named = (name: string, message: string) => Object.assign(new Error(message), { name })

test.each([
  [ofPostgres('25006', 'cannot execute DELETE in a read-only transaction'), 'postgres', 'read_only'],
  [ofPostgres('53100', 'could not extend file'), 'postgres', 'disk_full'],
  [ofPostgres('58030', 'could not write: No space left on device'), 'postgres', 'disk_full'],
  [ofPostgres('42501', 'permission denied for table checks'), 'postgres', 'forbidden'],
  [ofPostgres('42P01', 'relation "checks" does not exist'), 'postgres', 'missing'],
  [ofPostgres('55006'), 'postgres', 'blocked'],
  [ofPostgres('57014'), 'postgres', 'blocked'],
  [ofPostgres('40001'), 'postgres', 'blocked'],
  [ofPostgres('57P03'), 'postgres', 'unavailable'],
  [ofPostgres('XX001'), 'postgres', 'failing'],
  [ofPostgres('ZZ999'), 'postgres', 'refuses'],
  [coded('CONNECTION_CLOSED'), 'postgres', 'unavailable'],
  [coded('NO_WRITER'), 'postgres', 'unavailable'],
  [ofClickHouse(164), 'clickhouse', 'read_only'],
  [ofClickHouse(242), 'clickhouse', 'read_only'],
  [ofClickHouse(774), 'clickhouse', 'read_only'],
  [ofClickHouse(243), 'clickhouse', 'disk_full'],
  [ofClickHouse(1001, 'std::exception: No space left on device'), 'clickhouse', 'disk_full'],
  [ofClickHouse(60), 'clickhouse', 'missing'],
  [ofClickHouse(497), 'clickhouse', 'forbidden'],
  [ofClickHouse(159), 'clickhouse', 'unavailable'],
  [ofClickHouse(9_999), 'clickhouse', 'refuses'],
  [new BusUnavailable('nats: stream not found'), 'nats', 'missing'],
  [new BusUnavailable('no ingest-3'), 'nats', 'missing'],
  [new BusUnavailable('nats: jetstream not enabled for account'), 'nats', 'missing'],
  [new BusUnavailable('nats: insufficient resources'), 'nats', 'disk_full'],
  [new BusUnavailable('the connection to nats was lost'), 'nats', 'unavailable'],
  [named('PermissionViolationError', 'no'), 'nats', 'forbidden'],
  [new AnswerTimeout('no answer within 5 ms'), null, 'blocked'],
  // its store is unknown
  [coded('ECONNREFUSED'), null, 'unavailable'],
])('%o is of %s: %s', (error, store, state) => {
  expect(storeFaultOf(error)).toEqual({ store, state })
  expect(isFromStore(error)).toBe(true)
  expect(isStoreRefusing(error)).toBe(state !== 'refuses')
})

test.each([
  ['a value out of range', ofPostgres('22003'), true],
  ['a violated constraint', ofPostgres('23505'), true],
  ['a row of another account', ofPostgres('42501', 'new row violates row-level security policy'), true],
  ['a value that ClickHouse cannot parse', ofClickHouse(27), true],
  ['a bug', new TypeError('x is not a function'), false],
  ['an invariant', new Error('an invariant of ours'), false],
])('%s is no fault of a store', (_, error, isFrom) => {
  expect(storeFaultOf(error)).toBeNull()
  expect(isStoreRefusing(error)).toBe(false)
  expect(isFromStore(error)).toBe(isFrom)
})

test('a broken connection is of the store that was asked', () => {
  expect(storeFaultOf(coded('ECONNRESET'), 'clickhouse')).toEqual({
    store: 'clickhouse',
    state: 'unavailable',
  })
})
