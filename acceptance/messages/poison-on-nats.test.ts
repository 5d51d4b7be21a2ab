import { startMeshNats, type MeshNats } from '@probe-mesh/bus/src/nats/testing'
import type { Bus } from '@probe-mesh/bus/port'
import { partitionOf, partitions } from '@probe-mesh/contracts/mesh/subjects'
import type { Reading } from '@probe-mesh/contracts/reading/reading'
import { connectClickHouse, type ClickHouse } from '@probe-mesh/control-plane/stores/clickhouse/connect'
import { parseConfig } from '@probe-mesh/control-plane/app/config'
import { startControlPlane } from '@probe-mesh/control-plane/app/control-plane'
import { connectPostgres, type Sql } from '@probe-mesh/control-plane/stores/postgres/connect'
import { insertTestCheck } from '@probe-mesh/control-plane/src/stores/postgres/testing'
import { readingAt } from '@probe-mesh/control-plane/src/status/testing'
import { createTestClickHouse } from '@probe-mesh/infra/testing/clickhouse'
import { emptyCatalog } from '@probe-mesh/infra/testing/empty-catalog'
import { createTestDatabase } from '@probe-mesh/infra/testing/postgres'
import pino from 'pino'
import { Registry } from 'prom-client'
import { setAsideReason } from '@probe-mesh/control-plane/src/readings/poison'
import { testFolder } from '@probe-mesh/infra/testing/folder'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'

/**
 * Two control planes on a real NATS with accounts. An agent of one region publishes hostile messages with its
 * region's credentials. The agents of the other region measure normally.
 */

const neighboursMsMax = 10_000
const patience = { timeout: 30_000, interval: 100 }

let nats: MeshNats
let database: Awaited<ReturnType<typeof createTestDatabase>>
let store: Awaited<ReturnType<typeof createTestClickHouse>>
let sql: Sql
let clickhouse: ClickHouse
const folder = testFolder('poison-')
let hostile: Bus
let honest: Bus
/** One check in each partition. */
let checkIds: string[]
const failures: unknown[] = []
const recordFailure = (error: unknown): void => void failures.push(error)

type ControlPlane = { close(): Promise<void> }
let running: ControlPlane[] = []

beforeAll(async () => {
  process.on('unhandledRejection', recordFailure)
  ;[nats, database, store] = await Promise.all([
    startMeshNats(['fra', 'iad']),
    createTestDatabase(),
    createTestClickHouse(),
  ])
  sql = connectPostgres(database.url)
  clickhouse = connectClickHouse(store.url)
  running = [await start(), await start()]
  hostile = await nats.openAgent('fra')
  honest = await nats.openAgent('iad')
  checkIds = []
  for (const partition of partitions) {
    let id: string
    do id = await insertTestCheck(sql, { regions: ['iad'] })
    while (partitionOf(id) !== partition)
    checkIds.push(id)
  }
}, 120_000)
afterAll(async () => {
  await Promise.all(running.map((each) => each.close()))
  await nats?.close()
  await Promise.all([sql?.end(), clickhouse?.close()])
  await Promise.all([database?.close(), store?.close()])
  process.off('unhandledRejection', recordFailure)
})

const start = async (): Promise<ControlPlane> => {
  const parsed = parseConfig({ PORT: '0', DATA_DIR: folder, REGIONS: 'fra,iad' })
  if (!parsed.ok) throw new Error(parsed.problems.join('\n'))
  const bus = await nats.openControlPlane()
  const plane = await startControlPlane({
    config: parsed.config,
    catalog: emptyCatalog,
    databaseUrl: database.url,
    clickhouseUrl: store.url,
    secretsKey: 'a key for the tests of this mesh only',
    bus,
    registry: new Registry(),
    log: pino({ level: process.env['MESH_LOG'] ?? 'silent' }, pino.destination(2)),
    now: Date.now,
    vantage: 'regional',
  })
  await plane.app.ready()
  return {
    close: async () => {
      await plane.app.close()
      await plane.close()
    },
  }
}

let batch = 0
const publish = async (bus: Bus, region: string, partition: number, data: Uint8Array) => {
  batch += 1
  await bus.readings.publish({ partition, region, messageId: `${region}:${batch}`, data })
}
const message = (region: string, partition: number, readings: string): Buffer => {
  const head = `"version":1,"agent":"${region}-1","region":"${region}","partition":${partition}`
  return Buffer.from(`{${head},"batch":${Date.now() + batch},"readings":${readings}}`)
}
const nested = (depth: number): string => '['.repeat(depth) + ']'.repeat(depth)

/** Hostile messages that a regional agent may publish. */
const poisonOf = (partition: number): Buffer[] => [
  message('fra', partition, `[${nested(4_385)}]`),
  message('fra', partition, `[{"x":${nested(20_000)}}]`),
  Buffer.from('['.repeat(400_000)),
  message('fra', partition, `[${Array(150_000).fill('0').join()}]`),
  message('fra', partition, '[{"checkId":"\\u0000\\ud800"}]'),
  message('zzz', partition, '[]'),
  message('iad', partition, '[]'),
  Buffer.from([0xff, 0xfe, 0x00]),
]
const honestReading = (checkId: string, number: number): Reading => ({
  ...readingAt('iad', 'up', Date.now() - number * 60_000),
  checkId,
})
const storedBy = async (slots: readonly Reading[]): Promise<number> => {
  const result = await clickhouse.query({
    query: `select count() as rows from readings_raw
      where region = 'iad' and check_id in {ids:Array(UUID)} and toUnixTimestamp64Milli(slot) in {slots:Array(Int64)}`,
    query_params: {
      ids: slots.map(({ checkId }) => checkId),
      slots: slots.map(({ slot }) => slot),
    },
    format: 'JSONEachRow',
  })
  const [row] = await result.json<{ rows: number }>()
  return row?.rows ?? 0
}
const judged = async (): Promise<number> => {
  const rows = await sql`select from check_states where check_id = any(${checkIds}::uuid[])
    and regions ? 'iad'`
  return rows.count
}
/** Publishes hostile messages, followed by a neighbour's reading, in every partition. */
const attack = async (round: number): Promise<void> => {
  for (const partition of partitions) {
    for (const data of poisonOf(partition)) await publish(hostile, 'fra', partition, data)
  }
  const neighbours = checkIds.map((checkId) => honestReading(checkId, round))
  for (const reading of neighbours) {
    const partition = partitionOf(reading.checkId)
    const data = message('iad', partition, JSON.stringify([reading]))
    await publish(honest, 'iad', partition, data)
  }
  const wait = { timeout: neighboursMsMax, interval: 100 }
  await vi.waitFor(async () => expect(await storedBy(neighbours)).toBe(partitions.length), wait)
  expect(failures).toEqual([])
}
const awaitOwners = async (planes: number): Promise<void> => {
  await vi.waitFor(async () => {
    const rows = await sql`
      select holder, count(*)::integer as held from partition_leases where holder is not null
      group by holder`
    expect(rows.reduce((sum, { held }) => sum + Number(held), 0)).toBe(partitions.length)
    expect(rows).toHaveLength(planes)
  }, patience)
}

test(
  'a hostile regional agent stops neither control plane, and the readings of its neighbours are stored within 10 s',
  { timeout: 120_000 },
  async () => {
    await awaitOwners(2)
    await attack(1)
    await vi.waitFor(async () => expect(await judged()).toBe(partitions.length), patience)
    const kept = await sql`
      select owner, count(*)::integer as rows from poison_messages group by owner`
    expect(kept).toEqual([{ owner: 'fra', rows: partitions.length * poisonOf(0).length }])
  },
)

test(
  'hostile messages on the stream stop no control plane that starts or takes over',
  { timeout: 120_000 },
  async () => {
    for (const partition of partitions) {
      for (const data of poisonOf(partition)) await publish(hostile, 'fra', partition, data)
    }
    await Promise.all(running.splice(0).map((each) => each.close()))
    // as if both had died: waiting messages are read first in a thread
    await sql`update partition_leases set holder = gen_random_uuid()`
    running = [await start(), await start()]
    await awaitOwners(2)
    await attack(2)
    const reasons = await sql`select distinct reason from poison_messages`
    expect(reasons.filter(({ reason }) => reason === setAsideReason)).toEqual([])
  },
)

test('sets aside a hostile message among error events', async () => {
  const bus = await nats.openControlPlane()
  const data = Buffer.from(
    `{"version":1,"kind":"tally","reports":${nested(20_000)},"at":1,"drops":{},"unsupported":{}}`,
  )
  await bus.errors.publish({ partition: 0, messageId: 'hostile', data })
  await vi.waitFor(async () => {
    const rows = await sql`select reason from poison_messages where owner = 'error events'`
    expect(rows.map(({ reason }) => String(reason))).toEqual([expect.stringContaining('nested deeper')])
  }, patience)
  expect(failures).toEqual([])
  await bus.close()
})
