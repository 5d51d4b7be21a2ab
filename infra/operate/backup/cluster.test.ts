import { readdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { uuidv7 } from '@probe-mesh/contracts/schema/ids'
import { connectNode } from '@probe-mesh/control-plane/stores/clickhouse/connect'
import { wholeDatabase, wholeTableStatement } from '@probe-mesh/control-plane/src/stores/clickhouse/schema'
import { connectPostgres, type Sql } from '@probe-mesh/control-plane/stores/postgres/connect'
import { testFolder } from '../../testing/folder.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { adminLine } from '../admin/testing/admin-line.ts'
import { startTestCluster, type TestCluster } from '../../testing/clickhouse-cluster.ts'
import { createTestDatabase, type TestDatabase } from '../../testing/postgres.ts'

/** Readings on several servers: one server is never copied as if it had all of them. */
const folder = testFolder('probe-mesh-backup-')
let database: TestDatabase
let stores: TestCluster
beforeAll(async () => {
  await writeFile(join(folder, 'key'), 'correct horse battery staple\n', { mode: 0o600 })
  ;[database, stores] = await Promise.all([createTestDatabase(), startTestCluster()])
})
afterAll(async () => {
  await Promise.all([database?.close(), stores?.close()])
})

const admin = (line: string, over: Record<string, string>) =>
  adminLine(`${line} --key-file ${join(folder, 'key')}`, {
    DATABASE_URL: database.url,
    DATA_DIR: join(folder, 'nothing'),
    NATS_KEYS: join(folder, 'no-keys'),
    ...over,
  })
const ask = async <T>({ url }: TestDatabase, act: (sql: Sql) => Promise<T>): Promise<T> => {
  const sql = connectPostgres(url, { connectionsMax: 1 })
  return act(sql).finally(() => sql.end())
}
const copies = async (): Promise<string[]> =>
  (await readdir(folder)).filter((name) => name.startsWith('copy'))

/** No server listens there: any request to it fails. */
const cluster = {
  CLICKHOUSE_CLUSTER: 'mesh',
  CLICKHOUSE_URL: 'http://127.0.0.1:1/mesh;http://127.0.0.1:2/mesh',
}

test('a backup of a cluster contains no readings, and says how to copy them', async () => {
  const refused = await admin(`backup --to ${join(folder, 'copy')}`, cluster)
  expect(refused).toMatchObject({ code: 1, out: '' })
  expect(refused.error).toMatch(/2 shards of mesh.*--without-readings.*BACKUP ON CLUSTER/)
  expect(await copies()).toEqual([])
})

test('the rest is copied and restored without a request to a server of the cluster', async () => {
  const path = join(folder, 'copy')
  await ask(
    database,
    (sql) =>
      sql`insert into accounts ${sql({ id: uuidv7(0), name: 'Kept', tier: 'scale', created_at: new Date(0) })}`,
  )
  expect(await admin(`backup --to ${path} --without-readings`, cluster)).toMatchObject({ code: 0 })
  const empty = await createTestDatabase()
  try {
    const over = { ...cluster, DATABASE_URL: empty.url }
    expect(await admin(`restore --from ${path}`, over)).toMatchObject({ code: 0 })
    const accounts = await ask(empty, (sql) => sql`select name from accounts`)
    expect(accounts).toEqual([{ name: 'Kept' }])
  } finally {
    await empty.close()
    await rm(path)
  }
})

test('readings of a single server are not restored into a cluster', async () => {
  const path = join(folder, 'copy')
  const alone = { CLICKHOUSE_URL: stores.single }
  expect(await admin(`backup --to ${path}`, alone)).toMatchObject({ code: 0 })
  const empty = await createTestDatabase()
  try {
    const refused = await admin(`restore --from ${path}`, { ...cluster, DATABASE_URL: empty.url })
    expect(refused).toMatchObject({ code: 1, out: '' })
    expect(refused.error).toMatch(/CLICKHOUSE_CLUSTER names a cluster/)
  } finally {
    await empty.close()
    await rm(path)
  }
})

test('a server of an undeclared cluster is recognised by its tables', async () => {
  const [one] = stores.servers
  const node = connectNode(one)
  await node.command({ query: `create database ${wholeDatabase('one')}` })
  const place = { cluster: 'whole', database: 'one' }
  await node.command({ query: wholeTableStatement('readings_raw', place) })
  await node.close()
  const refused = await admin(`backup --to ${join(folder, 'copy')}`, { CLICKHOUSE_URL: one })
  expect(refused).toMatchObject({ code: 1, out: '' })
  expect(refused.error).toMatch(/one_all.readings_raw is distributed over shards/)
  expect(await copies()).toEqual([])
})
