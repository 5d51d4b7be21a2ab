import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openInProcessBus } from '@probe-mesh/bus/in-process/in-process-bus'
import type { Bus } from '@probe-mesh/bus/port'
import { uuidv7 } from '@probe-mesh/contracts/schema/ids'
import { partitionOf } from '@probe-mesh/contracts/mesh/subjects'
import type { Reading } from '@probe-mesh/contracts/reading/reading'
import { tiersDefault } from '@probe-mesh/contracts/account/tiers'
import { createTestClickHouse } from '@probe-mesh/infra/testing/clickhouse'
import { createTestDatabase } from '@probe-mesh/infra/testing/postgres'
import { startProxy } from '@probe-mesh/infra/testing/proxy'
import pino from 'pino'
import { Registry } from 'prom-client'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { connectClickHouse } from '../../stores/clickhouse/connect.ts'
import type { ClickHouse } from '../../stores/clickhouse/connect.ts'
import { insertReadings } from '../../readings/insert-readings.ts'
import type { ReadingRow } from '../../readings/insert-readings.ts'
import { connectPostgres } from '../../stores/postgres/connect.ts'
import type { Sql } from '../../stores/postgres/connect.ts'
import type { Lease } from '../../stores/leases/leases-store.ts'
import { insertTestCheck, acquireTestLeases } from '../../stores/postgres/testing.ts'
import { openBatches, recordBatch } from './ingest-batches-store.ts'
import { decodeMessage } from '../../readings/decode.ts'
import { readingAt } from '../../status/testing.ts'
import { createDirectory } from './directory.ts'
import { startIngester } from './ingester.ts'
import type { Ingester } from './ingester.ts'

let database: Awaited<ReturnType<typeof createTestDatabase>>
let store: Awaited<ReturnType<typeof createTestClickHouse>>
let sql: Sql
let clickhouse: ClickHouse

beforeAll(async () => {
  ;[database, store] = await Promise.all([createTestDatabase(), createTestClickHouse()])
  sql = connectPostgres(database.url)
  clickhouse = connectClickHouse(store.url)
})
afterAll(async () => {
  await sql.end()
  await clickhouse.close()
  await Promise.all([database.close(), store.close()])
})

let folder: string
let bus: Bus
let ingester: Ingester | null
let checkId: string
let registry: Registry
let leases: Lease[]

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'ingest-'))
  bus = await openInProcessBus({ directory: folder })
  checkId = await insertTestCheck(sql, { regions: ['fra'] })
  ingester = null
})
afterEach(async () => {
  await ingester?.close()
  await bus.close()
  await rm(folder, { recursive: true })
})

const start = async (way: ClickHouse = clickhouse): Promise<void> => {
  registry = new Registry()
  ingester = startIngester({
    sql,
    clickhouse: way,
    bus,
    directory: createDirectory({ sql, tiers: tiersDefault, now: Date.now }),
    registry,
    decode: decodeMessage,
    log: pino({ level: 'silent' }),
    now: Date.now,
    onStored: () => {},
  })
  leases = await acquireTestLeases(sql)
  for (const lease of leases) ingester.take(lease)
}

let batch = 0
const publish = async (
  readings: readonly unknown[],
  data?: Uint8Array,
  after?: number | null,
): Promise<number> => {
  batch += 1
  const partition = partitionOf(checkId)
  const message = { version: 1, agent: 'fra-1', region: 'fra', partition, batch, after, readings }
  await bus.readings.publish({
    partition,
    region: 'fra',
    messageId: `fra-1:${partition}:${batch}`,
    data: data ?? new TextEncoder().encode(JSON.stringify(message)),
  })
  return batch
}

const t0 = Date.now() - 3_600_000
const reading = (k: number, more: Partial<Reading> = {}): Reading => ({
  ...readingAt('fra', 'up', t0 + k * 60_000),
  checkId,
  ...more,
})

const count = async (query: string): Promise<Record<string, number>> => {
  const result = await clickhouse.query({ query, query_params: { checkId }, format: 'JSONEachRow' })
  const [row] = await result.json<Record<string, number>>()
  return row ?? {}
}
const stored = async () =>
  await count(`
    select (select count() from readings_raw where check_id = {checkId:UUID}) as raw,
      (select uniqExact(slot, region, kind, number) from readings_raw where check_id = {checkId:UUID}) as slots,
      (select sum(up + down + blocked + unmeasured) from readings_minute where check_id = {checkId:UUID}) as minute,
      (select sum(up + down + blocked + unmeasured) from readings_hour where check_id = {checkId:UUID}) as hour`)
const allDone = async (through: number) => {
  const marked = Promise.withResolvers<void>()
  const watch = await bus.persisted.watch('fra', 'fra-1', (_, last) => {
    if (last >= through) marked.resolve()
  })
  await marked.promise
  await watch.close()
  const consumer = await bus.readings.consume(partitionOf(checkId), 'ingest')
  await vi.waitFor(async () => expect((await consumer.lag()).messages).toBe(0))
  await consumer.close()
}
const metric = async (name: string): Promise<number> => {
  const { values } = (await registry.getSingleMetric(name)?.get()) ?? { values: [] }
  return values.reduce((sum, value) => sum + value.value, 0)
}

test('stores published readings once, and the rollups agree', async () => {
  await start()
  await publish([reading(1), reading(2)])
  await allDone(await publish([reading(3), reading(4, { verdict: 'down', reason: 'broken' })]))
  expect(await stored()).toEqual({ raw: 4, slots: 4, minute: 4, hour: 4 })
})

test('a slot seen twice is stored once: in one message, in another, and after a restart', async () => {
  await start()
  await publish([reading(1), reading(1, { latencyMs: 99 })])
  await allDone(await publish([reading(2), reading(1)]))
  await ingester?.close()
  await start()
  await allDone(await publish([reading(2), reading(3), reading(1)]))
  expect(await stored()).toEqual({ raw: 3, slots: 3, minute: 3, hour: 3 })
  expect(await metric('ingest_readings_dropped_total')).toBe(2)
})

test('a late slot between stored ones is not mistaken for a duplicate', async () => {
  await start()
  await allDone(await publish([reading(1), reading(5)]))
  await allDone(await publish([reading(3)]))
  expect((await stored()).raw).toBe(3)
})

test('stores confirmations and manual readings, and keeps them out of the rollups', async () => {
  await start()
  const evidence = [
    reading(1),
    reading(1, { kind: 'manual', number: 1 }),
    reading(1, { kind: 'manual', number: 2 }),
    reading(1, { kind: 'confirmation' }),
  ]
  await publish(evidence)
  await allDone(await publish(evidence))
  expect(await stored()).toEqual({ raw: 4, slots: 4, minute: 1, hour: 1 })
})

test.each([
  ['not JSON', new TextEncoder().encode('{"version":1,'), 'not JSON'],
  ['not UTF-8', Uint8Array.of(0xff, 0xfe), 'not JSON'],
  ['another version', new TextEncoder().encode('{"version":2}'), 'not a message'],
])('a message that is %s is kept as poison and holds nobody up', async (_, data, reason) => {
  await start()
  await publish([], data)
  await allDone(await publish([reading(1)]))
  expect((await stored()).raw).toBe(1)
  const [poison] = await sql`select reason, payload from poison_messages order by id desc limit 1`
  expect(poison?.['reason']).toContain(reason)
  expect(new Uint8Array(poison?.['payload'])).toEqual(data)
})

test.each([
  ['without a verdict', { verdict: undefined }],
  ['with a NaN latency', { latencyMs: 'NaN' }],
  ['of another region', { region: 'iad' }],
  ['from the future', { slot: Date.now() + 3_600_000 }],
  ['too old to be due', { slot: Date.now() - 30 * 86_400_000 }],
])('a reading %s is poison and costs none of its neighbours', async (_, fault) => {
  await start()
  await allDone(await publish([reading(1), { ...reading(2), ...fault }, reading(3)]))
  expect((await stored()).raw).toBe(2)
  expect(await metric('ingest_poison_total')).toBe(1)
})

test('drops and counts readings of a deleted check', async () => {
  await start()
  await sql`delete from checks where id = ${checkId}`
  await allDone(await publish([reading(1), reading(2)]))
  expect((await stored()).raw).toBe(0)
  expect(await metric('ingest_readings_dropped_total')).toBe(2)
})

const forgetRows = (table: string) =>
  clickhouse.command({ query: `delete from ${table} where check_id = '${checkId}'` })

const threeRows = (): ReadingRow[] =>
  [1, 2, 3].map((k) => ({ ...kept, reading: reading(k), receivedAtMs: Date.now() }))
const kept = { agent: 'fra-1', rawDays: 90, hourDays: 800 }

/** A batch as its writer left it: recorded, its insert begun. @returns its last message */
const leaveBatch = async (insert: (rows: ReadingRow[], token: string) => Promise<void>) => {
  await publish([reading(1), reading(2)])
  const last = await publish([reading(3), reading(3)])
  const token = uuidv7(Date.now())
  const ranges = [{ partition: partitionOf(checkId), first: 1, last: 2, count: 2 }]
  await recordBatch(sql, { token, createdAtMs: Date.now(), ranges, dropped: [3] }, [], [])
  await insert(threeRows(), token)
  return last
}

/** As a server that is killed when the raw table has its part and the rollups have theirs not. */
const withoutViews = async (act: () => Promise<void>): Promise<void> => {
  for (const view of ['minute', 'hour']) {
    await clickhouse.command({ query: `detach table readings_${view}_view` })
  }
  await act()
  for (const view of ['minute', 'hour']) {
    await clickhouse.command({ query: `attach table readings_${view}_view` })
  }
}

test('repeats a batch exactly after an interruption between the raw table and its rollups', async () => {
  const last = await leaveBatch((rows, token) => withoutViews(() => insertReadings(clickhouse, rows, token)))
  expect(await stored()).toEqual({ raw: 3, slots: 3, minute: 0, hour: 0 })
  await start()
  await allDone(last)
  expect(await stored()).toEqual({ raw: 3, slots: 3, minute: 3, hour: 3 })
  expect(await openBatches(sql)).toEqual([])
})

test('counts readings of an interrupted batch that could not be repeated when they come again', async () => {
  await withoutViews(() => insertReadings(clickhouse, threeRows(), uuidv7(Date.now())))
  expect(await stored()).toEqual({ raw: 3, slots: 3, minute: 0, hour: 0 })
  const last = await publish([reading(1), reading(2), reading(3), reading(4)])
  await start()
  await allDone(last)
  expect(await stored()).toEqual({ raw: 4, slots: 4, minute: 4, hour: 4 })
})

test.each(['readings_raw', 'readings_minute', 'readings_hour'])(
  'repeats a batch exactly when %s remembers its token without the rows',
  async (table) => {
    const last = await leaveBatch(async (rows, token) => {
      await insertReadings(clickhouse, rows, token)
      await forgetRows(table)
    })
    await start()
    await allDone(last)
    expect(await stored()).toEqual({ raw: 3, slots: 3, minute: 3, hour: 3 })
    expect(await openBatches(sql)).toEqual([])
  },
)

test('a repeated batch excludes checks deleted in the meantime', async () => {
  const last = await leaveBatch(async () => {})
  await sql`delete from checks where id = ${checkId}`
  await start()
  await allDone(last)
  expect((await stored()).raw).toBe(0)
  expect(await metric('ingest_readings_dropped_total')).toBe(3)
  expect(await openBatches(sql)).toEqual([])
})

test.each<[string, string | null, number]>([
  ['is stored though its answer was lost', null, 0],
  ['is lost from the raw table', 'readings_raw', 3],
])('a batch that %s is stored exactly', async (_, lostFrom, repairs) => {
  const target = new URL(store.url)
  const proxy = await startProxy(Number(target.port))
  target.port = String(proxy.port)
  const way = connectClickHouse(target.href)
  await clickhouse.command({ query: 'create table slow (none UInt8) engine = Memory' })
  await clickhouse.command({
    query:
      'create materialized view slow_view to slow as select toUInt8(sleep(3) + sleep(2.5)) as none from readings_raw',
  })
  try {
    await start(way)
    const last = await publish([reading(1), reading(2)])
    await vi.waitFor(async () => expect((await stored()).raw).toBe(2))
    proxy.refuse()
    if (lostFrom !== null) {
      const whole = { raw: 2, slots: 2, minute: 2, hour: 2 }
      await vi.waitFor(async () => expect(await stored()).toEqual(whole))
      await forgetRows(lostFrom)
      await clickhouse.command({ query: 'drop table slow_view sync' })
    }
    const isRetried = async () => expect(await metric('ingest_retries_total')).toBeGreaterThan(0)
    await vi.waitFor(isRetried)
    proxy.pass()
    await allDone(last)
    expect(await stored()).toEqual({ raw: 2, slots: 2, minute: 2, hour: 2 })
    expect(await metric('ingest_repairs_total')).toBe(repairs)
  } finally {
    await ingester?.close()
    await clickhouse.command({ query: 'drop table if exists slow_view sync' })
    await clickhouse.command({ query: 'drop table slow sync' })
    await way.close()
    await proxy.close()
  }
})

test('acknowledges nothing before it is stored', async () => {
  const watched = vi.fn<(partition: number, last: number) => void>()
  await bus.persisted.watch('fra', 'fra-1', watched)
  await clickhouse.command({ query: 'rename table readings_raw to readings_away' })
  try {
    await start()
    await publish([reading(1)])
    await vi.waitFor(async () => expect(await metric('ingest_retries_total')).toBeGreaterThan(0))
    expect(watched).not.toHaveBeenCalled()
  } finally {
    await clickhouse.command({ query: 'rename table readings_away to readings_raw' })
  }
  await vi.waitFor(() => expect(watched).toHaveBeenCalled())
  expect((await stored()).raw).toBe(1)
})

test('the new owner stores the messages that a former owner fetched, once', async () => {
  await start()
  const [former, formerRegistry] = [ingester, registry]
  await start()
  try {
    await allDone(await publish([reading(1), reading(2)]))
    const fenced = async () => {
      const values = (await formerRegistry.getSingleMetric('ingest_messages_fenced_total')?.get())?.values
      expect(values?.[0]?.value).toBe(1)
    }
    await vi.waitFor(fenced)
    expect(await stored()).toEqual({ raw: 2, slots: 2, minute: 2, hour: 2 })
    expect(await metric('ingest_readings_stored_total')).toBe(2)
  } finally {
    await former?.close()
  }
})

test('releases a partition with each message stored, or in the stream for the next owner', async () => {
  await start()
  const lease = leases.find(({ partition }) => partition === partitionOf(checkId))
  if (lease === undefined) throw new Error('no lease of the partition')
  await allDone(await publish([reading(1)]))
  for (const k of [2, 3, 4, 5]) await publish([reading(k)])
  await vi.waitFor(async () => expect(await metric('ingest_pending_messages')).toBeGreaterThan(0))
  await ingester?.leave(lease, 'released')
  expect(await openBatches(sql)).toEqual([])
  const consumer = await bus.readings.consume(lease.partition, 'ingest')
  const { messages } = await consumer.lag()
  expect(((await stored()).raw ?? 0) + messages).toBe(5)
})

test('marks nothing after a message that the stream lost, until the agent starts again', async () => {
  const marks: number[] = []
  await start()
  await bus.persisted.watch('fra', 'fra-1', (_, mark) => marks.push(mark))
  const first = await publish([reading(1)], undefined, null)
  await allDone(first)
  batch += 1
  const lost = batch
  await publish([reading(3)], undefined, lost)
  await vi.waitFor(async () => expect(await metric('ingest_stream_holes_total')).toBe(1))
  await vi.waitFor(async () => expect((await stored()).raw).toBe(2))
  expect(marks.at(-1)).toBe(first)
  const again = await publish([reading(2)], undefined, null)
  const last = await publish([reading(3)], undefined, again)
  await allDone(last)
  expect(marks.filter((mark) => mark > first && mark < again)).toEqual([])
  expect((await stored()).raw).toBe(3)
})

test('the next owner learns from the marks which readings are already stored', async () => {
  await start()
  const first = await publish([reading(1)], undefined, null)
  await allDone(first)
  await ingester?.close()
  await start()
  const second = await publish([reading(2)], undefined, first)
  await allDone(second)
  await ingester?.close()
  await start()
  await publish([reading(4)], undefined, second + 5)
  await vi.waitFor(async () => expect(await metric('ingest_stream_holes_total')).toBe(1))
})
