import { prepareStores } from '@probe-mesh/control-plane/mesh/identity/prepare-stores'
import { connectPostgres } from '@probe-mesh/control-plane/stores/postgres/connect'
import { readNatsSystem } from '@probe-mesh/bus/nats/system-mark'
import { openNatsBus } from '@probe-mesh/bus/nats/nats-bus'
import pino from 'pino'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { adminLine } from '../admin/testing/admin-line.ts'
import { createTestClickHouse, type TestClickHouse } from '../../testing/clickhouse.ts'
import { startTestNats, type TestNats } from '../../testing/nats.ts'
import { createTestDatabase, type TestDatabase } from '../../testing/postgres.ts'

const log = pino({ level: 'silent' })
const former = 'the former key, which has 32 characters or more'
const renewed = 'the new key, which has 32 characters or more too'

let database: TestDatabase
let lost: TestClickHouse
let fresh: TestClickHouse
let nats: TestNats
beforeAll(async () => {
  ;[database, lost, fresh, nats] = await Promise.all([
    createTestDatabase(),
    createTestClickHouse(),
    createTestClickHouse(),
    startTestNats(),
  ])
})
afterAll(async () => {
  await Promise.all([database, lost, fresh, nats].map((one) => one?.close()))
})

const link = () => ({ servers: [nats.url], name: 'test', log })
const start = (clickhouse: TestClickHouse, secretsKey: string) =>
  prepareStores({
    databaseUrl: database.url,
    clickhouse: { url: clickhouse.url, cluster: null },
    readNatsId: () => readNatsSystem(link()),
    secretsKey,
    now: Date.now,
    log,
  })

const identity = (...args: string[]) =>
  adminLine(`identity ${args.join(' ')}`, {
    DATABASE_URL: database.url,
    CLICKHOUSE_URL: fresh.url,
    NATS_URL: nats.url,
    SECRETS_KEY: renewed,
  })

test('an empty Postgres cannot be accepted', async () => {
  expect(await identity('accept')).toMatchObject({
    code: 1,
    error: expect.stringContaining('Postgres is empty'),
  })
})

test('after a loss of ClickHouse and the key, the operator joins the remaining parts once', async () => {
  const sql = connectPostgres(database.url, { connectionsMax: 1 })
  await sql`insert into accounts (id, name, tier, created_at) values (gen_random_uuid(), 'a', 'scale', now())`
  await sql.end()
  const id = await start(lost, former)
  const bus = await openNatsBus({ ...link(), topology: { regions: [], system: 'another' } })
  await bus.close()

  await expect(start(fresh, renewed)).rejects.toThrow(/ClickHouse is empty/)
  expect(await identity()).toMatchObject({
    code: 1,
    out: expect.stringContaining('NATS        another'),
  })
  expect(await identity('accept')).toEqual({
    code: 0,
    out: `Postgres    ${id}\nClickHouse  ${id}\nNATS        ${id}\nThey belong together.\n`,
    error: '',
  })
  expect(await start(fresh, renewed)).toBe(id)
  await expect(start(fresh, former)).rejects.toThrow(/SECRETS_KEY/)
})
