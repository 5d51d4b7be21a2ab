import { fork, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { readFile, readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { connectClickHouse } from '@probe-mesh/control-plane/stores/clickhouse/connect'
import { connectPostgres } from '@probe-mesh/control-plane/stores/postgres/connect'
import { testFolder } from '../../testing/folder.ts'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { commandLine } from '../embedded/command-line.ts'
import { silentLog } from '../embedded/log.ts'
import { findRunningStores } from './running-stores.ts'
import { decideRunAs, pickAccount } from '../embedded/postgres/run-as.ts'
import { startStores, type Stores } from './stores.ts'

let dataDir = ''
const owners: ChildProcess[] = []
const open: Stores[] = []

beforeEach(() => {
  dataDir = testFolder('probe-mesh-stores-')
})
afterEach(async () => {
  for (const owner of owners.splice(0)) owner.kill('SIGKILL')
  await Promise.all(open.splice(0).map((stores) => stores.close()))
})

const start = async (): Promise<Stores> => {
  const stores = await startStores({ dataDir, log: silentLog })
  open.push(stores)
  return stores
}

type Owned = { databaseUrl: string; clickhouseUrl: string; pids: number[] }
const isOwned = (value: unknown): value is Owned =>
  typeof value === 'object' && value !== null && 'pids' in value && Array.isArray(value.pids)

/** Starts another process that owns the directory. */
const startOwner = async (): Promise<{ owner: ChildProcess; stores: Owned }> => {
  const fixture = fileURLToPath(new URL('stores-owner.fixture.ts', import.meta.url))
  const owner = fork(fixture, [dataDir], { execArgv: [] })
  owners.push(owner)
  const [stores]: unknown[] = await once(owner, 'message')
  if (!isOwned(stores)) throw new Error('the owner sent another message')
  return { owner, stores }
}

/** Writes numbered rows until the server ends; resolves with the acknowledged ones. */
const writeUntilGone = async (
  write: (id: number) => Promise<unknown>,
  onAcknowledged: (count: number) => void,
): Promise<number[]> => {
  const acknowledged: number[] = []
  for (let id = 0; ; id += 1) {
    try {
      await write(id)
    } catch {
      return acknowledged
    }
    acknowledged.push(id)
    onAcknowledged(acknowledged.length)
  }
}

test('has every acknowledged row at the next start after a kill, and no process keeps running', async () => {
  const { owner, stores } = await startOwner()
  const sql = connectPostgres(stores.databaseUrl, { connectionsMax: 1 })
  const clickhouse = connectClickHouse(stores.clickhouseUrl)
  await sql`create table kept (id integer)`
  await clickhouse.command({
    query: 'create table kept (id Int32) engine = MergeTree order by id',
  })

  const written = { postgres: 0, clickhouse: 0 }
  const killInTheMiddle = () => {
    if (written.postgres > 20 && written.clickhouse > 20) owner.kill('SIGKILL')
  }
  const [inPostgres, inClickHouse] = await Promise.all([
    writeUntilGone(
      (id) => sql`insert into kept values (${id})`,
      (count) => {
        written.postgres = count
        killInTheMiddle()
      },
    ),
    writeUntilGone(
      (id) => clickhouse.insert({ table: 'kept', values: [{ id }], format: 'JSONEachRow' }),
      (count) => {
        written.clickhouse = count
        killInTheMiddle()
      },
    ),
  ])
  await Promise.all([sql.end({ timeout: 1 }), clickhouse.close()])

  const next = await start()
  for (const pid of stores.pids) expect(await commandLine(pid)).toBeNull()
  const again = connectPostgres(next.databaseUrl, { connectionsMax: 1 })
  const rows = await again<{ id: number }[]>`select id from kept`
  expect(rows.map((row) => row.id)).toEqual(expect.arrayContaining(inPostgres))
  await again.end()
  const client = connectClickHouse(next.clickhouseUrl)
  const found = await client.query({ query: 'select id from kept', format: 'JSONEachRow' })
  const ids = (await found.json<{ id: number }>()).map((row) => row.id)
  expect(ids).toEqual(expect.arrayContaining(inClickHouse))
  await client.close()
})

test('ends the servers when their owner is killed', async () => {
  const { owner, stores } = await startOwner()
  expect(stores.pids).toHaveLength(2)
  owner.kill('SIGKILL')
  await vi.waitFor(
    async () => {
      const lines = await Promise.all(stores.pids.map(commandLine))
      expect(lines).toEqual([null, null])
    },
    { interval: 50 },
  )
})

test('refuses a second instance on a directory until the first ends, and names that', async () => {
  const { owner } = await startOwner()
  await expect(start()).rejects.toThrow(`Another instance (process ${owner.pid}) is running on ${dataDir}`)
  owner.kill('SIGKILL')
  await once(owner, 'exit')
  await start()
  await expect(start()).rejects.toThrow(`process ${process.pid}`)
})

test('finds a running instance, for its owner only, and not a killed one', async () => {
  const { owner, stores } = await startOwner()
  const { pids: _, ...urls } = stores
  expect(await findRunningStores(dataDir)).toEqual({ ...urls, pid: owner.pid })
  expect((await stat(join(dataDir, 'embedded.json'))).mode & 0o777).toBe(0o600)
  owner.kill('SIGKILL')
  await once(owner, 'exit')
  expect(await findRunningStores(dataDir)).toBeNull()
})

test('does not start databases with a URL, and leaves no trace of the run', async () => {
  const urls = { databaseUrl: 'postgres://elsewhere/db', clickhouseUrl: 'http://elsewhere/db' }
  const stores = await startStores({ dataDir, log: silentLog, ...urls })
  expect(stores).toMatchObject(urls)
  expect(await findRunningStores(dataDir)).toEqual({ ...urls, pid: process.pid })
  await stores.close()
  expect(await readdir(dataDir)).toEqual(['lock'])
})

test.skipIf(process.getuid?.() !== 0)(
  'lets Postgres as another user traverse a data directory that other users cannot list',
  async () => {
    const before = process.umask(0o077)
    try {
      const account = pickAccount(await readFile('/etc/passwd', 'utf8'))
      const runAs = decideRunAs({ uid: 0, account, userNamespaces: false })
      const stores = await startStores({ dataDir, log: silentLog, runAs })
      open.push(stores)
      const sql = connectPostgres(stores.databaseUrl, { connectionsMax: 1 })
      expect(await sql`select 1 as value`).toEqual([{ value: 1 }])
      await sql.end()
      expect((await stat(dataDir)).mode & 0o777).toBe(0o711)
      for (const name of await readdir(dataDir)) {
        expect([name, (await stat(join(dataDir, name))).mode & 0o077]).toEqual([name, 0])
      }
    } finally {
      process.umask(before)
    }
  },
)
