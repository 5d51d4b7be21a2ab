import { connectClickHouse } from '@probe-mesh/control-plane/stores/clickhouse/connect'
import { testFolder } from '../../testing/folder.ts'
import { expect, test, vi } from 'vitest'
import { startClickHouse } from './clickhouse/start.ts'
import { silentLog } from './log.ts'
import { supervise, type EmbeddedServer } from './supervise.ts'

/** A server that ends by `close` or by `end`. */
const createServer = (url: string): EmbeddedServer & { end(): void } => {
  let end = () => {}
  const exited = new Promise<void>((resolve) => (end = resolve))
  return { url, pid: 1, exited, end, close: async () => end() }
}

test('restarts a server that ended behind its URL, also if that takes two attempts', async () => {
  const attempts: (string | null)[] = []
  const servers = [createServer('url'), createServer('url')]
  const warnings: string[] = []
  const store = await supervise(
    'store',
    async (behind) => {
      attempts.push(behind)
      if (attempts.length === 2) throw new Error('the port is taken')
      const server = servers[attempts.length === 1 ? 0 : 1]
      if (server === undefined) throw new Error('unexpected')
      return server
    },
    { ...silentLog, warn: (_, message) => warnings.push(message) },
  )
  servers[0]?.end()
  await vi.waitFor(() => expect(attempts).toEqual([null, 'url', 'url']))
  expect(warnings).toHaveLength(2)
  await store.close()
  expect(attempts).toHaveLength(3)
})

test('does not restart a closed server', async () => {
  let starts = 0
  const start = async () => {
    starts += 1
    return createServer('url')
  }
  const store = await supervise('store', start, silentLog)
  await store.close()
  expect(starts).toBe(1)
})

test('ends the new server when it closes during a restart', async () => {
  const first = createServer('url')
  const second = createServer('url')
  let starts = 0
  let finish = () => {}
  const started = new Promise<void>((resolve) => (finish = resolve))
  const store = await supervise(
    'store',
    async () => {
      starts += 1
      if (starts === 1) return first
      await started
      return second
    },
    silentLog,
  )
  first.end()
  await vi.waitFor(() => expect(starts).toBe(2))
  const closed = store.close()
  finish()
  await closed
  await second.exited
})

test('throws a failure of the first start', async () => {
  const start = () => Promise.reject(new Error('no binaries'))
  await expect(supervise('store', start, silentLog)).rejects.toThrow('no binaries')
})

test('restarts a killed ClickHouse behind the same URL with its rows', async () => {
  const folder = testFolder('probe-mesh-supervise-')
  const pids: number[] = []
  const store = await supervise(
    'clickhouse',
    async (behind) => {
      const server = await startClickHouse({ dataDir: folder, log: silentLog, behind })
      pids.push(server.pid)
      return server
    },
    silentLog,
  )
  const client = connectClickHouse(store.url)
  await client.command({ query: 'create table kept (id Int32) engine = MergeTree order by id' })
  await client.insert({ table: 'kept', values: [{ id: 7 }], format: 'JSONEachRow' })
  process.kill(pids[0] ?? 0, 'SIGKILL')
  const rows = await vi.waitFor(
    async () => {
      const result = await client.query({ query: 'select id from kept', format: 'JSONEachRow' })
      return result.json()
    },
    { interval: 50 },
  )
  expect(rows).toEqual([{ id: 7 }])
  expect(pids).toHaveLength(2)
  await client.close()
  await store.close()
})
