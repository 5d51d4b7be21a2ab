import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openInProcessBus } from '@probe-mesh/bus/in-process/in-process-bus'
import type { Bus } from '@probe-mesh/bus/port'
import { tiersDefault } from '@probe-mesh/contracts/account/tiers'
import { partitionOf } from '@probe-mesh/contracts/mesh/subjects'
import type { Reading } from '@probe-mesh/contracts/reading/reading'
import { createTestClickHouse } from '@probe-mesh/infra/testing/clickhouse'
import { createTestDatabase } from '@probe-mesh/infra/testing/postgres'
import pino from 'pino'
import { Registry } from 'prom-client'
import { afterAll, afterEach, beforeAll, beforeEach, expect, vi } from 'vitest'
import { decodeMessage } from '../../../readings/decode.ts'
import { readingAt } from '../../../status/testing.ts'
import { connectClickHouse, type ClickHouse } from '../../../stores/clickhouse/connect.ts'
import type { ClickHouseNode } from '../../../stores/clickhouse/shard.ts'
import type { Lease } from '../../../stores/leases/leases-store.ts'
import { connectPostgres, type Sql } from '../../../stores/postgres/connect.ts'
import { acquireTestLeases, insertTestCheck } from '../../../stores/postgres/testing.ts'
import { createFactsOfChecks } from '../check-facts.ts'
import { startIngester, type Ingester } from '../ingester.ts'

type Started = Ingester & { metric(name: string): Promise<number>; leases: readonly Lease[] }
type Options = Partial<Parameters<typeof startIngester>[0]> & Pick<Lease, 'afterDeath'>

const t0 = Date.now() - 3_600_000

/** Ingest on real databases: those of the file, and for each test its own stream and check. */
export const useIngest = () => {
  let database: Awaited<ReturnType<typeof createTestDatabase>>
  let store: Awaited<ReturnType<typeof createTestClickHouse>>
  let folder: string
  let batch = 0
  let started: Started[] = []
  const rig = {} as { sql: Sql; clickhouse: ClickHouse & ClickHouseNode; bus: Bus; checkId: string }
  const acts = {
    url: () => store.url,
    databaseUrl: () => database.url,
    /** Starts a process that owns every partition. */
    start: async ({ afterDeath, ...options }: Options = {}): Promise<Started> => {
      const { sql, clickhouse, bus } = rig
      const registry = new Registry()
      const ingester = startIngester({
        sql,
        clickhouse,
        bus,
        factsOfChecks: createFactsOfChecks({ sql, tiers: tiersDefault, now: Date.now }),
        registry,
        decode: decodeMessage,
        log: pino({ level: 'silent' }),
        now: Date.now,
        batchAgeMs: 10,
        onStored: () => {},
        ...options,
      })
      const leases = await acquireTestLeases(sql)
      for (const lease of leases) ingester.take(afterDeath === undefined ? lease : { ...lease, afterDeath })
      const metric = async (name: string): Promise<number> => {
        const { values } = (await registry.getSingleMetric(name)?.get()) ?? { values: [] }
        return values.reduce((sum, { value }) => sum + value, 0)
      }
      const close = async (): Promise<void> => {
        started = started.filter((other) => other !== one)
        await ingester.close()
      }
      const one = { ...ingester, close, metric, leases }
      started.push(one)
      return one
    },
    /** Publishes readings, as they are or as text, or a whole message. @returns its batch */
    publish: async (readings: readonly unknown[] | string | Uint8Array): Promise<number> => {
      batch += 1
      const partition = partitionOf(rig.checkId)
      const text = typeof readings === 'string' ? readings : JSON.stringify(readings)
      const head = `"version":1,"agent":"fra-1","region":"fra","partition":${partition},"batch":${batch}`
      const data = readings instanceof Uint8Array ? readings : Buffer.from(`{${head},"readings":${text}}`)
      await rig.bus.readings.publish({ partition, region: 'fra', messageId: `${batch}`, data })
      return batch
    },
    reading: (minute: number, more: Partial<Reading> = {}): Reading =>
      readingAt('fra', 'up', t0 + minute * 60_000, { checkId: rig.checkId, ...more }),
    /** Everything is acknowledged. @param through the last batch, if it is marked */
    allDone: async (through?: number): Promise<void> => {
      const marked = Promise.withResolvers<void>()
      const watch = await rig.bus.persisted.watch('fra', 'fra-1', (_, last) => {
        if (through !== undefined && last >= through) marked.resolve()
      })
      if (through !== undefined) await marked.promise
      await watch.close()
      const consumer = await rig.bus.readings.consume(partitionOf(rig.checkId), 'ingest')
      await vi.waitFor(async () => expect((await consumer.lag()).messages).toBe(0))
      await consumer.close()
    },
    /** The rows of these checks in the raw table, those that differ, and what each rollup counts. */
    stored: async (node: Pick<ClickHouseNode, 'query'> = rig.clickhouse, checks = [rig.checkId]) => {
      const of = 'where check_id in {checks:Array(UUID)}'
      const counted = 'sum(up + down + blocked + unmeasured)'
      const result = await node.query({
        query: `
          select (select count() from readings_raw ${of}) as raw,
            (select uniqExact(check_id, slot, region, kind, number) from readings_raw ${of}) as slots,
            (select ${counted} from readings_minute ${of}) as minute,
            (select ${counted} from readings_hour ${of}) as hour`,
        query_params: { checks },
        format: 'JSONEachRow',
      })
      const [row] = await result.json<Record<'raw' | 'slots' | 'minute' | 'hour', number>>()
      return [row?.raw, row?.slots, row?.minute, row?.hour]
    },
  }
  beforeAll(async () => {
    ;[database, store] = await Promise.all([createTestDatabase(), createTestClickHouse()])
    rig.sql = connectPostgres(database.url)
    rig.clickhouse = connectClickHouse(store.url)
  })
  afterAll(async () => {
    await Promise.all([rig.sql.end(), rig.clickhouse.close()])
    await Promise.all([database.close(), store.close()])
  })
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'ingest-'))
    rig.bus = await openInProcessBus({ directory: folder })
    rig.checkId = await insertTestCheck(rig.sql, { regions: ['fra'] })
  })
  afterEach(async () => {
    await Promise.all(started.map((one) => one.close()))
    started = []
    await rig.bus.close()
    await rm(folder, { recursive: true })
  })
  return Object.assign(rig, acts)
}
