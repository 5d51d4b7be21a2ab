import { createTestClickHouse, type TestClickHouse } from '@probe-mesh/infra/testing/clickhouse'
import { createTestDatabase, type TestDatabase } from '@probe-mesh/infra/testing/postgres'
import { pino } from 'pino'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { channelOwner } from '../../notifications/channels/sealed-config.ts'
import { connectClickHouse } from '../../stores/clickhouse/connect.ts'
import { readClickHouseIdentity, readDatabaseIdentity } from './stored-identity.ts'
import { connectPostgres, type Sql } from '../../stores/postgres/connect.ts'
import { ownEpoch } from '../../stores/postgres/schema-epoch.ts'
import { createVault } from '../../secrets/vault.ts'
import { prepareStores } from './prepare-stores.ts'

const secretsKey = 'the key of the system, which has 32 characters or more'
const otherKey = 'another key, which has 32 characters or more as well'
const account = '0199aaaa-0000-7000-8000-000000000001'
const channel = '0199aaaa-0000-7000-8000-000000000002'

let databases: TestDatabase[] = []
let clickhouses: TestClickHouse[] = []
let sql: Sql
const addPair = async (): Promise<void> => {
  const [database, clickhouse] = await Promise.all([createTestDatabase(), createTestClickHouse()])
  databases.push(database)
  clickhouses.push(clickhouse)
}
beforeEach(async () => {
  await addPair()
  sql = connectPostgres(databases[0]?.url ?? '', { connectionsMax: 1 })
})
afterEach(async () => {
  await sql.end()
  await Promise.all([...databases, ...clickhouses].map((one) => one.close()))
  databases = []
  clickhouses = []
})

const start = (given: { postgres?: number; clickhouse?: number; nats?: string; key?: string } = {}) =>
  prepareStores({
    databaseUrl: databases[given.postgres ?? 0]?.url ?? '',
    clickhouse: { url: clickhouses[given.clickhouse ?? 0]?.url ?? '', cluster: null },
    readNatsId: async () => given.nats ?? null,
    secretsKey: given.key ?? secretsKey,
    now: Date.now,
    log: pino({ level: 'silent' }),
  })

const clickhouseIdentity = (index: number) =>
  readClickHouseIdentity({ url: clickhouses[index]?.url ?? '', cluster: null })

const addAccount = () =>
  sql`insert into accounts (id, name, tier, created_at) values (${account}, 'a', 'scale', now())`

/** As the version before ids left them. */
const addReading = async () => {
  const clickhouse = connectClickHouse(clickhouses[0]?.url ?? '')
  await clickhouse.command({
    query: `insert into readings_raw (check_id, region, slot, kind, raw_days)
      values ('0199aaaa-0000-7000-8000-000000000003', 'fra', now64(3), 'scheduled', 30)`,
  })
  await clickhouse.close()
}

test('a new system gets one id from two control planes that start together, and keeps it', async () => {
  const [one, two] = await Promise.all([start(), start()])
  expect(one).toBe(two)
  expect(await start({ nats: one })).toBe(one)
  expect(await clickhouseIdentity(0)).toEqual({ ids: [one], isEmpty: true })
})

test('a system with data but without an id gets one at its first start', async () => {
  await addAccount()
  await addReading()
  const id = await start()
  expect(await clickhouseIdentity(0)).toEqual({ ids: [id], isEmpty: false })
  expect(await readDatabaseIdentity(sql)).toMatchObject({ id, clickhouseMarked: true })
})

test('refuses an empty Postgres with a full ClickHouse before writing anything', async () => {
  await addAccount()
  await addReading()
  await start()
  await addPair()
  await expect(start({ postgres: 1 })).rejects.toThrow(/Postgres is empty/)
  const other = connectPostgres(databases[1]?.url ?? '', { connectionsMax: 1 })
  expect(await readDatabaseIdentity(other)).toMatchObject({ id: null, isEmpty: true })
  expect(await other`select from secrets_proof`).toHaveLength(0)
  await other.end()
})

test('refuses another ClickHouse, an empty one, and another NATS by name', async () => {
  await addAccount()
  const id = await start()
  await addPair()
  await expect(start({ clickhouse: 1 })).rejects.toThrow(/ClickHouse is empty/)
  expect(await clickhouseIdentity(1)).toEqual({ ids: [], isEmpty: true })
  const other = await start({ postgres: 1, clickhouse: 1 })
  await expect(start({ clickhouse: 1 })).rejects.toThrow(`ClickHouse is of system ${other}`)
  await expect(start({ nats: other })).rejects.toThrow(`NATS is of system ${other}`)
  expect(await start()).toBe(id)
})

test('a temporarily unavailable ClickHouse server does not prevent later starts', async () => {
  await addAccount()
  await addReading()
  const [ours] = clickhouses
  const { hostname } = new URL(ours?.url ?? '')
  clickhouses[1] = { url: `http://${hostname}:1/none`, close: async () => {} }
  await expect(start({ clickhouse: 1 })).rejects.toThrow(/ECONNREFUSED/)
  expect(await start()).toMatch(/^[0-9a-f-]{36}$/)
})

test('refuses a database that accepts newer versions only before changing anything, and serves one of the next version', async () => {
  await start()
  await sql`update schema_epoch set epoch = ${ownEpoch + 1}, least = ${ownEpoch}`
  await start()
  await sql`update schema_epoch set epoch = ${ownEpoch + 2}, least = ${ownEpoch + 1}`
  // as a migration that this version would apply
  await sql`delete from migrations where name = '0166-judged-partitions.sql'`
  await expect(start()).rejects.toThrow(/upgraded by a newer version.*Nothing was changed/)
  expect(await sql`select from migrations where name = '0166-judged-partitions.sql'`).toHaveLength(0)
})

test('refuses a control plane with another SECRETS_KEY', async () => {
  await start()
  await expect(start({ key: otherKey })).rejects.toThrow(/SECRETS_KEY is not the key/)
  await start()
})

test('a wrong SECRETS_KEY cannot become the key of a system without a proof', async () => {
  await addAccount()
  const owner = channelOwner({ accountId: account, id: channel })
  await sql`
    insert into notification_channels ${sql({
      id: channel,
      account_id: account,
      name: 'c',
      type: 'json',
      credential: createVault(secretsKey).seal('{}', owner),
      summary: 's',
      created_at: new Date(),
      updated_at: new Date(),
    })}`
  await expect(start({ key: otherKey })).rejects.toThrow(/SECRETS_KEY is not the key/)
  await start()
})
