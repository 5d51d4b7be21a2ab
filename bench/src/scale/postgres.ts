import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { partitions } from '@probe-mesh/contracts/mesh/partition'
import { createAssessmentState } from '@probe-mesh/control-plane/mesh/assess/assessment-state'
import { findDirectoryEntries } from '@probe-mesh/control-plane/mesh/ingest/directory'
import type { Sql } from '@probe-mesh/control-plane/stores/postgres/connect'
import { takeLease } from '@probe-mesh/control-plane/stores/leases/leases-store'
import type { Lease } from '@probe-mesh/control-plane/stores/leases/leases-store'
import { findStatesOfPartitions, writeStates } from '@probe-mesh/control-plane/status/states-store'
import type { StateWrite } from '@probe-mesh/control-plane/status/states-store'
import { silentLog } from '@probe-mesh/infra/start/embedded/log'
import { startPostgres } from '@probe-mesh/infra/start/embedded/postgres/start'
import { createCheckedDatabase, withPostgres } from '../mesh/databases.ts'
import { usageOf } from '../mesh/process-tree.ts'
import { checkIdOf } from '../path/bench-checks.ts'
import type { BenchContext } from '../run-bench.ts'
import { createRandom } from '../statistics.ts'
import { createReadingModel } from './readings.ts'
import { tenRegions } from './ten-regions.ts'

/** As many as one statement of write-behind takes (control-plane/src/mesh/assess/write-states.ts). */
const rowsMax = 2_000

type Cost = { rows: number; cpuSeconds: number; seconds: number; walBytes: number }

/** What a reading costs Postgres: its check's state is written behind, its check is looked up. */
export const measurePostgres = async (
  context: BenchContext & { folder: string },
): Promise<void> => {
  const { folder, quick, say, report } = context
  const count = quick ? 2_000 : 20_000
  say(`postgres: ${count} checks in ten regions, their states written behind`)
  const server = await startPostgres({ dataDir: join(folder, 'postgres'), log: silentLog })
  try {
    const how = { count, regions: tenRegions, intervalSeconds: 60 }
    const url = await createCheckedDatabase(server.url, 'bench_scale', how)
    await withPostgres(url, async (sql) => {
      const leases = await takeAll(sql)
      const written = await writeRounds({ sql, pid: server.pid, leases }, quick ? 2 : 5)
      const looked = await lookUp({ sql, pid: server.pid }, count)
      const [size] = await sql<{ states: string; whole: string }[]>`
        select pg_total_relation_size('check_states') as states,
          pg_database_size(current_database()) as whole`
      const each = (bytes: string | undefined) => Math.round(Number(bytes) / count)
      const per1000 = ({ cpuSeconds, rows }: Cost) => (cpuSeconds / rows) * 1_000
      const figures = [
        ['state_write_postgres_cpu_per_1000', per1000(written), 'CPU s'],
        ['state_write_wal_bytes', Math.round(written.walBytes / written.rows), 'bytes'],
        ['state_writes_per_second', Math.round(written.rows / written.seconds), 'rows/s'],
        ['check_look_up_postgres_cpu_per_1000', per1000(looked), 'CPU s'],
        ['state_table_bytes_per_check', each(size?.states), 'bytes'],
        ['postgres_bytes_per_check', each(size?.whole), 'bytes'],
      ] as const
      for (const [figure, value, unit] of figures) {
        report({ figure, value, unit, context: { checks: count, regions: tenRegions.length } })
      }
    })
  } finally {
    await server.close()
  }
}

const takeAll = async (sql: Sql): Promise<Lease[]> => {
  const leases: Lease[] = []
  for (const partition of partitions) {
    const lease = await takeLease(sql, partition, randomUUID())
    if (lease === null) throw new Error(`partition ${partition} is taken`)
    leases.push(lease)
  }
  return leases
}

/** Every check's state once a round, after a reading of each region. The first round is not counted. */
const writeRounds = async (
  { sql, pid, leases }: { sql: Sql; pid: number; leases: readonly Lease[] },
  rounds: number,
): Promise<Cost> => {
  let nowMs = Date.now()
  const book = createAssessmentState(() => nowMs)
  const model = createReadingModel(createRandom(3))
  const checkIds: string[] = []
  for (const lease of leases) {
    for (const check of await findStatesOfPartitions(sql, [lease.partition])) {
      book.load(check, lease)
      checkIds.push(check.checkId)
    }
  }
  const observeAll = (): StateWrite[] => {
    nowMs += 60_000
    for (const checkId of checkIds) {
      for (const region of tenRegions) {
        book.observe(model({ checkId, region, slot: nowMs, lateMs: 0, isUp: true }))
      }
    }
    // what has no version in the database yet is not flipped there: only the writes behind count
    for (const flip of book.flips()) book.settle(flip)
    return book.takeDirty(Number.POSITIVE_INFINITY).map((write) => ({
      ...write,
      state: { ...write.state, version: 0 },
    }))
  }
  const write = async (writes: readonly StateWrite[]): Promise<void> => {
    for (let from = 0; from < writes.length; from += rowsMax) {
      await writeStates(sql, writes.slice(from, from + rowsMax), leases)
    }
  }
  await write(observeAll())
  const total: Cost = { rows: 0, cpuSeconds: 0, seconds: 0, walBytes: 0 }
  for (let round = 0; round < rounds; round++) {
    const writes = observeAll()
    const cost = await costOf({ sql, pid }, writes.length, () => write(writes))
    total.rows += cost.rows
    total.cpuSeconds += cost.cpuSeconds
    total.seconds += cost.seconds
    total.walBytes += cost.walBytes
  }
  return total
}

const lookUp = ({ sql, pid }: { sql: Sql; pid: number }, count: number): Promise<Cost> => {
  const ids = Array.from({ length: count }, (_, n) => checkIdOf(n))
  return costOf({ sql, pid }, count, async () => {
    for (let from = 0; from < count; from += rowsMax) {
      await findDirectoryEntries(sql, ids.slice(from, from + rowsMax))
    }
  })
}

const costOf = async (
  { sql, pid }: { sql: Sql; pid: number },
  rows: number,
  act: () => Promise<void>,
): Promise<Cost> => {
  const walAt = async (): Promise<number> => {
    const [row] = await sql<{ bytes: string }[]>`
      select pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0') as bytes`
    return Number(row?.bytes)
  }
  const cpuAt = () => usageOf({ postgres: pid })['postgres']?.cpuSeconds ?? 0
  const before = { wal: await walAt(), cpu: cpuAt(), ms: performance.now() }
  await act()
  return {
    rows,
    cpuSeconds: cpuAt() - before.cpu,
    seconds: (performance.now() - before.ms) / 1_000,
    walBytes: (await walAt()) - before.wal,
  }
}
