import { once } from 'node:events'
import { readFile, rm } from 'node:fs/promises'
import { createServer, type AddressInfo } from 'node:net'
import { connectClickHouse, type ClickHouse } from '@probe-mesh/control-plane/stores/clickhouse/connect'
import { testFolder } from '../../../testing/folder.ts'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { silentLog } from '../log.ts'
import { engineSettings } from './engine-settings.ts'
import { startClickHouse } from './start.ts'

let dataDir = ''
beforeEach(() => {
  dataDir = testFolder('probe-mesh-clickhouse-')
})
afterEach(async () => rm(dataDir, { recursive: true, force: true, maxRetries: 5 }))

const start = (behind: string | null = null) => startClickHouse({ dataDir, log: silentLog, behind })

test('keeps rows over a restart, under a new password', async () => {
  const first = await start()
  const before = connectClickHouse(first.url)
  await before.command({ query: 'create table kept (id Int32) engine = MergeTree order by id' })
  await before.insert({ table: 'kept', values: [{ id: 7 }], format: 'JSONEachRow' })
  await before.close()
  await first.close()
  const second = await start()
  expect(new URL(second.url).password).not.toBe(new URL(first.url).password)
  const after = connectClickHouse(second.url)
  const rows = await after.query({ query: 'select id from kept', format: 'JSONEachRow' })
  expect(await rows.json()).toEqual([{ id: 7 }])
  await after.close()
  await second.close()
})

test('runs with the settings for one machine: small caches, and few threads after many statements', async () => {
  const server = await start()
  const client = connectClickHouse(server.url)
  const read = async <T>(query: string): Promise<T[]> =>
    (await client.query({ query, format: 'JSONEachRow' })).json<T>()
  const changed = await read<{ name: string; value: string }>(
    'select name, value from system.server_settings where changed',
  )
  const written = engineSettings.matchAll(/<(\w+)>(\d+)<\/\1>/g)
  expect(changed).toEqual(expect.arrayContaining([...written].map(([, name, value]) => ({ name, value }))))
  await Promise.all(Array.from({ length: 50 }, () => read('select sum(number) from numbers_mt(1000000)')))
  const threads = async (): Promise<number> =>
    Number(/^Threads:\s+(\d+)/m.exec(await readFile(`/proc/${server.pid}/status`, 'utf8'))?.[1])
  await vi.waitFor(async () => expect(await threads()).toBeLessThan(80), 20_000)
  await client.close()
  await server.close()
})

/** Starts a statement that sleeps as long as the engine allows, and resolves once it runs. */
const beginSlow = async (client: ClickHouse): Promise<{ result: Promise<unknown> }> => {
  const query = 'select sleep(3) + 5 as five'
  const result = client.query({ query, format: 'JSONEachRow' }).then((found) => found.json())
  const watch = { query: 'select query from system.processes', format: 'JSONEachRow' } as const
  // This query counts itself, so the slow one runs when there are two.
  for (let shown = 0; shown < 2;) shown = (await (await client.query(watch)).json()).length
  return { result }
}

test('finishes a running statement before it closes', async () => {
  const server = await start()
  const client = connectClickHouse(server.url)
  const { result } = await beginSlow(client)
  await server.close()
  expect(await result).toEqual([{ five: 5 }])
  await client.close()
})

test('waits until the previous server releases the directory', async () => {
  const first = await start()
  const client = connectClickHouse(first.url)
  const { result } = await beginSlow(client)
  const order: string[] = []
  const answered = result.then(() => order.push('the first answered'))
  // its process may run for some moments after it released the directory
  const ended = first.close()
  const second = await start()
  order.push('the second started')
  await Promise.all([ended, answered, second.close(), client.close()])
  expect(order).toEqual(['the first answered', 'the second started'])
})

test('reports why a start failed and leaves no process', async () => {
  const other = createServer().listen(0, '127.0.0.1')
  await once(other, 'listening')
  const { port } = portOf(other.address())
  const behind = `http://mesh:password@127.0.0.1:${port}/mesh`
  await expect(start(behind)).rejects.toThrow(/did not start: .*EADDRINUSE/)
  await (await start()).close()
  other.close()
})

const portOf = (address: AddressInfo | string | null): AddressInfo => {
  if (address === null || typeof address === 'string') throw new Error('no port')
  return address
}
