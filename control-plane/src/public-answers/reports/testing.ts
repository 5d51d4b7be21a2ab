import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openInProcessBus } from '@probe-mesh/bus/in-process/in-process-bus'
import { Catalog } from '@probe-mesh/contracts/outage/catalog'
import { createTestDatabase } from '@probe-mesh/infra/testing/postgres'
import { startProxy, type Proxy } from '@probe-mesh/infra/testing/proxy'
import pino from 'pino'
import { Registry } from 'prom-client'
import { indexCatalog } from '../../catalog/catalog-index.ts'
import { service } from '../../catalog/testing.ts'
import { connectPostgres, type Sql } from '../../stores/postgres/connect.ts'
import { startReports, type Reports } from './reports.ts'

export const t0 = Date.parse('2026-11-20T12:00:00.000Z')
const secretsKey = 'a secret of the test'

export type TestInstance = Reports & { metrics(): Promise<string> }

/** One Postgres behind a proxy, one bus, and instances that count reports on `github` and `gitlab`. */
export type ReportTest = {
  /** A direct connection, as the owner of the tables. */
  sql: Sql
  /** Between the instances and Postgres. */
  proxy: Proxy
  now(): number
  pass(ms: number): void
  /** Payloads of the events, as JSON. */
  events: string[]
  logged: string[]
  instance(): Promise<TestInstance>
  close(): Promise<void>
}

export const startReportTest = async (): Promise<ReportTest> => {
  const database = await createTestDatabase()
  const sql = connectPostgres(database.url, { connectionsMax: 4 })
  const url = new URL(database.url)
  const proxy = await startProxy(Number(url.port))
  url.hostname = '127.0.0.1'
  url.port = String(proxy.port)
  const directory = await mkdtemp(join(tmpdir(), 'reports-'))
  const bus = await openInProcessBus({ directory })
  const events: string[] = []
  await bus.events.subscribe('reports', (payload) => events.push(JSON.stringify(payload)))
  const catalog = indexCatalog(
    Catalog.parse({ services: [service('github'), service('gitlab')], stacks: [] }),
  )
  const pools: Sql[] = []
  const instances: Reports[] = []
  const logged: string[] = []
  let nowMs = t0

  return {
    sql,
    proxy,
    now: () => nowMs,
    pass: (ms) => {
      nowMs += ms
    },
    events,
    logged,
    instance: async () => {
      const own = connectPostgres(url.href, { connectionsMax: 2, role: 'probe_mesh_system' })
      pools.push(own)
      const registry = new Registry()
      const reports = await startReports({
        sql: own,
        events: bus.events,
        catalog,
        secretsKey,
        registry,
        now: () => nowMs,
        log: pino({ level: 'trace' }, { write: (line: string) => logged.push(line) }),
      })
      instances.push(reports)
      return { ...reports, metrics: () => registry.metrics() }
    },
    close: async () => {
      proxy.pass()
      await Promise.all(instances.map((instance) => instance.close()))
      // a cut connection may not close by itself
      await Promise.all([...pools, sql].map((pool) => pool.end({ timeout: 2 })))
      await bus.close()
      await proxy.close()
      await rm(directory, { recursive: true })
      await database.close()
    },
  }
}
