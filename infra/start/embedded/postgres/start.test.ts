import { execFile } from 'node:child_process'
import { chmod, mkdir, readFile, readdir, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { connectPostgres, type Sql } from '@probe-mesh/control-plane/stores/postgres/connect'
import { testFolder } from '../../../testing/folder.ts'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { silentLog } from '../log.ts'
import { startPostgres, type EmbeddedPostgres } from './start.ts'
import { decideRunAs, pickAccount } from './run-as.ts'

const run = promisify(execFile)

let folder = ''
let dataDir = ''
const open: EmbeddedPostgres[] = []

beforeEach(() => {
  folder = testFolder('probe-mesh-postgres-')
  dataDir = join(folder, 'data')
})
afterEach(async () => {
  await Promise.all(open.splice(0).map((server) => server.close()))
})

const start = async (
  options: Partial<Parameters<typeof startPostgres>[0]> = {},
): Promise<EmbeddedPostgres> => {
  const server = await startPostgres({ dataDir, log: silentLog, durable: false, ...options })
  open.push(server)
  return server
}

const use = async <T>(url: string, act: (sql: Sql) => Promise<T>): Promise<T> => {
  const sql = connectPostgres(url, { connectionsMax: 1 })
  try {
    return await act(sql)
  } finally {
    await sql.end({ timeout: 1 })
  }
}

test('keeps rows over a restart, under the same password', async () => {
  const first = await start({ durable: true })
  await use(first.url, (sql) => sql`create table kept as select 'row' as value`)
  await first.close()
  const second = await start()
  expect(new URL(second.url).password).toBe(new URL(first.url).password)
  expect(await use(second.url, (sql) => sql`select value from kept`)).toEqual([{ value: 'row' }])
})

test('refuses a wrong password, and only the owner can read the right one', async () => {
  const { url } = await start()
  const wrong = new URL(url)
  wrong.password = 'wrong'
  await expect(use(wrong.href, (sql) => sql`select 1`)).rejects.toMatchObject({ code: '28P01' })
  expect((await stat(join(dataDir, 'password'))).mode & 0o777).toBe(0o600)
})

test('stores text as UTF-8 with Unicode letters, and times in UTC', async () => {
  const { url } = await start()
  const rows = await use(url, (sql) => sql`select lower('ÄΣ') as low, current_setting('TimeZone') as zone`)
  expect(rows).toEqual([{ low: 'äσ', zone: 'UTC' }])
})

test('restores committed rows behind the same URL after a kill', async () => {
  const first = await start({ durable: true })
  await use(first.url, (sql) => sql`create table kept as select 1 as value`)
  process.kill(first.pid, 'SIGKILL')
  await first.exited
  const second = await start({ durable: true, behind: first.url })
  expect(second.url).toBe(first.url)
  expect(await use(first.url, (sql) => sql`select value from kept`)).toEqual([{ value: 1 }])
})

test('ends a running server without an owner before the next start', async () => {
  const first = await start()
  const second = await start()
  await first.exited
  expect(await use(second.url, (sql) => sql`select 1 as value`)).toEqual([{ value: 1 }])
})

test('starts despite a stale postmaster.pid with the id of another process', async () => {
  const first = await start()
  const file = join(dataDir, 'cluster/postmaster.pid')
  const text = await readFile(file, 'utf8')
  await first.close()
  await writeFile(file, text.replace(String(first.pid), String(process.ppid)))
  const second = await start()
  expect(await use(second.url, (sql) => sql`select 1 as value`)).toEqual([{ value: 1 }])
})

test('leaves no cluster and no files after an interrupted initialisation', async () => {
  await mkdir(join(dataDir, 'initializing-cut/base'), { recursive: true })
  await writeFile(join(dataDir, 'initializing-cut/PG_VERSION'), '18\n')
  await start()
  expect((await readdir(dataDir)).toSorted()).toEqual(['cluster', 'password'])
})

test('refuses a cluster of another major version and names both versions', async () => {
  await mkdir(join(dataDir, 'cluster'), { recursive: true })
  await writeFile(join(dataDir, 'cluster/PG_VERSION'), '9\n')
  await expect(start()).rejects.toThrow(/created by Postgres 9, .* Found: 1\d in /)
})

test('refuses a cluster whose password is lost and sets no new one', async () => {
  await (await start()).close()
  await rm(join(dataDir, 'password'))
  await expect(start()).rejects.toThrow(/cannot read the password/)
})

test('gives the files to the account without user namespaces, and back to root with them', async () => {
  await chmod(folder, 0o755)
  const account = pickAccount(await readFile('/etc/passwd', 'utf8'))
  const runAs = decideRunAs({ uid: process.getuid?.() ?? null, account, userNamespaces: false })
  const first = await start({ runAs })
  await use(first.url, (sql) => sql`create table kept as select 1 as value`)
  const { stdout: uid } = await run('ps', ['-o', 'uid=', '-p', String(first.pid)])
  expect(Number(uid)).toBeGreaterThan(0)
  await first.close()
  const second = await start()
  expect(await use(second.url, (sql) => sql`select value from kept`)).toEqual([{ value: 1 }])
})

test('starts in a long path', async () => {
  dataDir = join(folder, 'd'.repeat(120))
  const { url } = await start()
  expect(await use(url, (sql) => sql`select 1 as value`)).toEqual([{ value: 1 }])
})
