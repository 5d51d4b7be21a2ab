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
import pino from 'pino'
import { Registry } from 'prom-client'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { connectClickHouse } from '../../stores/clickhouse/connect.ts'
import type { ClickHouse } from '../../stores/clickhouse/connect.ts'
import { insertReadings } from '../../readings/insert-readings.ts'
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

const start = async (way: ClickHouse = clickhouse, batchAgeMs = 10): Promise<void> => {
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
    batchAgeMs,
    onStored: () => {},
  })
  leases = await acquireTestLeases(sql)
  for (const lease of leases) ingester.take(lease)
}

let batch = 0
const publish = async (readings: readonly unknown[] | Uint8Array): Promise<number> => {
  batch += 1
  const partition = partitionOf(checkId)
  const message = { version: 1, agent: 'fra-1', region: 'fra', partition, batch, readings }
  const data = readings instanceof Uint8Array ? readings : Buffer.from(JSON.stringify(message))
  await bus.readings.publish({ partition, region: 'fra', messageId: `${batch}`, data })
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

test('a slot seen twice is stored once: in one message, in another, and after a restart', async () => {
  await start()
  await publish([reading(1), reading(1, { latencyMs: 99 })])
  await allDone(await publish([reading(2), reading(1)]))
  await ingester?.close()
  await start()
  await allDone(await publish([reading(2), reading(3, { verdict: 'down' }), reading(1)]))
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

test('unreadable messages and readings are kept as poison, and their neighbours are stored', async () => {
  const messages = [Buffer.from('{"version":1,'), Buffer.from([0xff, 0xfe]), Buffer.from('{"version":2}')]
  const faults = {
    verdict: { verdict: undefined },
    latency: { latencyMs: 'NaN' },
    region: { region: 'iad' },
    future: { slot: Date.now() + 3_600_000 },
    age: { slot: Date.now() - 30 * 86_400_000 },
  }
  await start()
  for (const message of messages) await publish(new Uint8Array(message))
  await allDone(
    await publish([
      reading(1),
      ...Object.values(faults).map((fault) => ({ ...reading(2), ...fault })),
      reading(3),
    ]),
  )
  expect(await stored()).toEqual({ raw: 2, slots: 2, minute: 2, hour: 2 })
  expect(await metric('ingest_poison_total')).toBe(8)
  const kept = await sql`select reason, payload from poison_messages order by sequence, id limit 3`
  expect(kept.map(({ payload }) => Buffer.from(payload))).toEqual(messages)
  expect(kept.map(({ reason }) => reason)).toEqual(
    ['not JSON', 'not JSON', 'not a message'].map((reason) => expect.stringContaining(reason)),
  )
})

/** As a server that is killed when the raw table has its part and the rollups do not have theirs. */
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
  await publish([reading(1), reading(2)])
  const last = await publish([reading(3), reading(3)])
  const ranges = [{ partition: partitionOf(checkId), first: 1, last: 2, count: 2 }]
  const record = { token: uuidv7(Date.now()), createdAtMs: Date.now(), ranges, dropped: [3] }
  const leases = await acquireTestLeases(sql)
  // its answer may be lost: recorded once more, also without its leases, it is the same batch
  expect(await recordBatch(sql, record, [], leases)).toEqual(new Set())
  await acquireTestLeases(sql)
  expect(await recordBatch(sql, record, [], leases)).toEqual(new Set())
  const rows = [1, 2, 3].map((k) => ({ ...facts, reading: reading(k), receivedAtMs: Date.now() }))
  await withoutViews(() => insertReadings(clickhouse, rows, record.token))
  expect(await stored()).toEqual({ raw: 3, slots: 3, minute: 0, hour: 0 })
  await start()
  await allDone(last)
  expect(await stored()).toEqual({ raw: 3, slots: 3, minute: 3, hour: 3 })
  expect(await openBatches(sql)).toEqual([])
})
const facts = { agent: 'fra-1', rawDays: 90, hourDays: 800 }

test.each([
  ['is stored though its answer was lost', false, 0],
  ['is lost from the raw table with its answer', true, 3],
])('a batch that %s is stored exactly, and acknowledged only then', async (_, isForgotten, repairs) => {
  const marked = vi.fn<() => void>()
  await bus.persisted.watch('fra', 'fra-1', marked)
  let isAnswered = false
  const flaky = connectClickHouse(store.url)
  const { insert } = flaky
  flaky.insert = async (rows) => {
    const result = await insert.call(flaky, rows)
    if (isAnswered) return result
    isAnswered = true
    if (isForgotten) {
      await clickhouse.command({ query: `delete from readings_raw where check_id = '${checkId}'` })
    }
    expect(marked).not.toHaveBeenCalled()
    throw new Error('socket hang up')
  }
  try {
    await start(flaky)
    await allDone(await publish([reading(1), reading(2)]))
    expect(await stored()).toEqual({ raw: 2, slots: 2, minute: 2, hour: 2 })
    expect(await metric('ingest_retries_total')).toBe(1)
    expect(await metric('ingest_repairs_total')).toBe(repairs)
  } finally {
    await ingester?.close()
    await flaky.close()
  }
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
  await start(clickhouse, 400)
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
