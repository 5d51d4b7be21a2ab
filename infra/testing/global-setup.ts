import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestProject } from 'vitest/node'
import { startClickHouse } from '../start/embedded/clickhouse/start.ts'
import { silentLog } from '../start/embedded/log.ts'
import { startPostgres } from '../start/embedded/postgres/start.ts'
import { findNatsServer } from './nats-server.ts'

declare module 'vitest' {
  export interface ProvidedContext {
    /**
     * The servers of the run. Each test creates its own database with `testing/postgres` and
     * `testing/clickhouse`.
     */
    postgresUrl: string
    clickhouseUrl: string
    /** What `startMesh` starts: one process with all parts, or a process for each part. */
    mesh: 'one process' | 'processes'
    /** The number of kills in a test that kills under load. */
    kills: number
    /** Whether each walk runs with and without scripts, or alternates. */
    bothWays: boolean
  }
}

/** Starts one Postgres and one ClickHouse for a test run, and removes them after it. */
export const setup = async (project: TestProject): Promise<() => Promise<void>> => {
  const folder = await mkdtemp(join(tmpdir(), 'probe-mesh-test-'))
  const log = silentLog
  const [postgres, clickhouse] = await Promise.allSettled([
    startPostgres({ dataDir: join(folder, 'postgres'), log, durable: false }),
    startClickHouse({ dataDir: join(folder, 'clickhouse'), log }),
    // downloaded here, since the timeouts of tests are too short for that; those that need it report its absence
    findNatsServer(),
  ])
  const teardown = async (): Promise<void> => {
    const started = [postgres, clickhouse].flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []))
    await Promise.all(started.map((server) => server.close()))
    await rm(folder, { recursive: true, force: true, maxRetries: 3 })
  }
  if (postgres.status === 'rejected' || clickhouse.status === 'rejected') {
    await teardown()
    const reasons = [postgres, clickhouse].flatMap((one) => (one.status === 'rejected' ? [one.reason] : []))
    throw new AggregateError(reasons, reasons.map(String).join('\n'))
  }
  project.provide('postgresUrl', postgres.value.url)
  project.provide('clickhouseUrl', clickhouse.value.url)
  return teardown
}
