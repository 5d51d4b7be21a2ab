import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openInProcessBus } from '@probe-mesh/bus/in-process/in-process-bus'
import type { Bus } from '@probe-mesh/bus/port'
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
import { connectPostgres } from '../../stores/postgres/connect.ts'
import type { Sql } from '../../stores/postgres/connect.ts'
import type { Lease } from '../../stores/leases/leases-store.ts'
import { insertTestCheck, acquireTestLeases } from '../../stores/postgres/testing.ts'
import { createDecodeOnce } from '../../readings/decode-once.ts'
import { createSetAside } from '../../readings/poison.ts'
import { readingAt } from '../../status/testing.ts'
import type { TrialReader } from '../../readings/trial/trial-reader.ts'
import { createDirectory } from './directory.ts'
import { startIngester } from './ingester.ts'
import type { Ingester } from './ingester.ts'

/** The content of one message blocks neither the writer nor other messages. */

let database: Awaited<ReturnType<typeof createTestDatabase>>
let store: Awaited<ReturnType<typeof createTestClickHouse>>
let sql: Sql
let clickhouse: ClickHouse
let folder: string
let bus: Bus
let ingester: Ingester | null
let checkId: string

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
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'ingest-poison-'))
  bus = await openInProcessBus({ directory: folder })
  checkId = await insertTestCheck(sql, { regions: ['fra'] })
  ingester = null
  await sql`delete from poison_messages`
})
afterEach(async () => {
  await ingester?.close()
  await bus.close()
  await rm(folder, { recursive: true })
})

/** @param failsOn a check for which our own code overflows the stack */
const start = async (
  failsOn?: string,
  { trial, ...how }: Pick<Lease, 'afterDeath'> & { trial?: TrialReader } = {},
): Promise<void> => {
  const setAside = createSetAside()
  const directory = createDirectory({ sql, tiers: tiersDefault, now: Date.now })
  ingester = startIngester({
    sql,
    clickhouse,
    bus,
    directory: {
      ...directory,
      find: async (checkIds) => {
        const wanted = [...checkIds]
        if (failsOn !== undefined && wanted.includes(failsOn)) {
          throw new RangeError('Maximum call stack size exceeded')
        }
        return directory.find(wanted)
      },
    },
    registry: new Registry(),
    decode: createDecodeOnce(setAside),
    setAside,
    ...(trial === undefined ? {} : { trial }),
    log: pino({ level: 'silent' }),
    now: Date.now,
    onStored: () => {},
  })
  for (const lease of await acquireTestLeases(sql)) ingester.take({ ...lease, ...how })
}

let batch = 0
const publish = async (readings: readonly Reading[] | string) => {
  batch += 1
  const partition = partitionOf(checkId)
  const head = `"version":1,"agent":"fra-1","region":"fra","partition":${partition},"batch":${batch}`
  const text = typeof readings === 'string' ? readings : JSON.stringify(readings)
  const { sequence } = await bus.readings.publish({
    partition,
    region: 'fra',
    messageId: `fra-1:${batch}`,
    data: Buffer.from(`{${head},"readings":${text}}`),
  })
  const [message] = await bus.readings.replay(partition, sequence, sequence)
  if (message === undefined) throw new Error('the stream does not hold it')
  return message
}
const t0 = Date.now() - 3_600_000
const reading = (k: number, id = checkId): Reading => ({
  ...readingAt('fra', 'up', t0 + k * 60_000),
  checkId: id,
})
const stored = async (): Promise<number> => {
  const query = 'select count() as rows from readings_raw where check_id = {checkId:UUID}'
  const result = await clickhouse.query({ query, query_params: { checkId }, format: 'JSONEachRow' })
  const [row] = await result.json<{ rows: number }>()
  return row?.rows ?? 0
}
const allAcknowledged = async (): Promise<void> => {
  const consumer = await bus.readings.consume(partitionOf(checkId), 'ingest')
  await vi.waitFor(async () => expect((await consumer.lag()).messages).toBe(0))
  await consumer.close()
}

test('finds the message that cannot be stored among others and sets it aside', async () => {
  let fatal: string
  do fatal = await insertTestCheck(sql, { regions: ['fra'] })
  while (partitionOf(fatal) !== partitionOf(checkId))
  await publish([reading(1)])
  await publish([reading(2, fatal)])
  await publish([reading(3)])
  await start(fatal)
  await allAcknowledged()
  expect(await stored()).toBe(2)
  const kept = await sql`select owner, reason from poison_messages`
  expect(kept).toEqual([{ owner: 'fra', reason: 'it cannot be stored: Maximum call stack size exceeded' }])
})

test('sets aside a message nested 20,000 deep, at first and after a restart', async () => {
  await publish(`[${'['.repeat(20_000)}${']'.repeat(20_000)}]`)
  await publish([reading(1)])
  for (const life of [1, 2]) {
    await start()
    await allAcknowledged()
    expect(await stored(), `life ${life}`).toBe(1)
    await ingester?.close()
  }
  const kept = await sql`select owner, length(payload) as bytes from poison_messages`
  expect(kept).toMatchObject([{ owner: 'unknown' }])
  expect(Number(kept[0]?.['bytes'])).toBeGreaterThan(40_000)
})

test('keeps a share of unreadable messages of each owner per minute, and counts and acknowledges the rest', async () => {
  await start()
  // 64 KB each, of which 8 MB are stored
  const large = JSON.stringify(Array.from({ length: 7 }, () => 'x'.repeat(64 * 1024)))
  for (let n = 0; n < 30; n++) await publish(large)
  await publish([reading(1)])
  await allAcknowledged()
  expect(await stored()).toBe(1)
  const [kept] = await sql`select sum(length(payload))::integer as bytes from poison_messages`
  expect(Number(kept?.['bytes'])).toBeGreaterThan(7 * 1024 * 1024)
  expect(Number(kept?.['bytes'])).toBeLessThanOrEqual(8 * 1024 * 1024)
})

test('after a crash, sets aside unread the message that ends its reader, and stores the others', async () => {
  await publish([reading(1)])
  const fatal = await publish([reading(2)])
  await publish([reading(3)])
  const trial: TrialReader = {
    fatalOf: async (messages) => messages.filter(({ sequence }) => sequence === fatal.sequence),
    close: async () => undefined,
  }
  await start(undefined, { afterDeath: true, trial })
  await allAcknowledged()
  expect(await stored()).toBe(2)
  const kept = await sql`select sequence, reason from poison_messages`
  expect(kept).toMatchObject([
    { sequence: String(fatal.sequence), reason: expect.stringContaining('crashed the process') },
  ])
})

test('after a crash, sets aside no readable message', async () => {
  for (let k = 1; k <= 3; k++) await publish([reading(k)])
  await start(undefined, { afterDeath: true })
  await allAcknowledged()
  expect(await stored()).toBe(3)
})
