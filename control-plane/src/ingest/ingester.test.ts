import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openInProcessBus } from '@probe-mesh/bus/in-process/in-process-bus'
import type { Bus } from '@probe-mesh/bus/port'
import { uuidv7 } from '@probe-mesh/contracts/ids'
import { partitionOf, partitions } from '@probe-mesh/contracts/partition'
import type { Reading } from '@probe-mesh/contracts/reading'
import { tiersDefault } from '@probe-mesh/contracts/tiers'
import { createTestClickHouse } from '@probe-mesh/infra/testing/clickhouse'
import { createTestDatabase } from '@probe-mesh/infra/testing/postgres'
import pino from 'pino'
import { Registry } from 'prom-client'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { connectClickHouse } from '../clickhouse/connect.ts'
import type { ClickHouse } from '../clickhouse/connect.ts'
import { insertReadings } from '../clickhouse/insert-readings.ts'
import { connectPostgres } from '../postgres/connect.ts'
import type { Sql } from '../postgres/connect.ts'
import { insertTestCheck } from '../postgres/testing.ts'
import { openBatches, recordBatch } from '../postgres/ingest-batches.ts'
import { readingAt } from '../status/testing.ts'
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

const start = async (): Promise<void> => {
  registry = new Registry()
  ingester = await startIngester({
    sql,
    clickhouse,
    bus,
    directory: createDirectory({ sql, tiers: tiersDefault, now: Date.now }),
    partitions,
    registry,
    log: pino({ level: 'silent' }),
    now: Date.now,
    onStored: () => {},
  })
}

let batch = 0
const publish = async (readings: readonly unknown[], data?: Uint8Array): Promise<number> => {
  batch += 1
  const partition = partitionOf(checkId)
  const message = { version: 1, agent: 'fra-1', region: 'fra', partition, batch, readings }
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
}
const metric = async (name: string): Promise<number> => {
  const { values } = (await registry.getSingleMetric(name)?.get()) ?? { values: [] }
  return values.reduce((sum, value) => sum + value.value, 0)
}

test('what agents publish is stored once, and the rollups agree', async () => {
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

test('a late slot between stored ones is not mistaken for a twin', async () => {
  await start()
  await allDone(await publish([reading(1), reading(5)]))
  await allDone(await publish([reading(3)]))
  expect((await stored()).raw).toBe(3)
})

test('confirmations and manual readings are stored beside the slot, and stay out of the rollups', async () => {
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

test('readings of a deleted check are dropped and counted', async () => {
  await start()
  await sql`delete from checks where id = ${checkId}`
  await allDone(await publish([reading(1), reading(2)]))
  expect((await stored()).raw).toBe(0)
  expect(await metric('ingest_readings_dropped_total')).toBe(2)
})

test('a batch cut off between the raw table and its rollups is repeated exactly', async () => {
  await publish([reading(1), reading(2)])
  const last = await publish([reading(3), reading(3)])
  const token = uuidv7(Date.now())
  const ranges = [{ partition: partitionOf(checkId), first: 1, last: 2, count: 2 }]
  await recordBatch(sql, { token, createdAtMs: Date.now(), ranges, dropped: [3] }, [])
  const facts = { agent: 'fra-1', receivedAtMs: Date.now(), rawDays: 90, hourDays: 800 }
  const rows = [1, 2, 3].map((k) => ({ reading: reading(k), ...facts }))
  for (const view of ['minute', 'hour']) {
    await clickhouse.command({ query: `detach table readings_${view}_view` })
  }
  await insertReadings(clickhouse, rows, token)
  for (const view of ['minute', 'hour']) {
    await clickhouse.command({ query: `attach table readings_${view}_view` })
  }
  expect(await stored()).toEqual({ raw: 3, slots: 3, minute: 0, hour: 0 })
  await start()
  await allDone(last)
  expect(await stored()).toEqual({ raw: 3, slots: 3, minute: 3, hour: 3 })
  expect(await openBatches(sql)).toEqual([])
})

test('nothing is acknowledged before it is stored', async () => {
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
  await vi.waitFor(() => expect(watched).toHaveBeenCalled(), { timeout: 10_000 })
  expect((await stored()).raw).toBe(1)
})
