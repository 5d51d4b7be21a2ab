import { uuidv7 } from '@probe-mesh/contracts/schema/ids'
import { partitions } from '@probe-mesh/contracts/mesh/subjects'
import { useTestDatabase } from '@probe-mesh/infra/testing/postgres'
import pino from 'pino'
import { Registry } from 'prom-client'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { connectLeaseSession, type Sql } from '../postgres/connect.ts'
import { partitionLockClass, type Lease } from './leases-store.ts'
import { ownEpoch } from '../postgres/schema-epoch.ts'
import { startLeaseManager } from './lease-manager.ts'

const database = useTestDatabase()
const sql = database.use()
let open: { close(): Promise<void> }[] = []
/** The owner of each partition, from the calls of the tenants. */
let workers: Map<number, Set<string>>

beforeEach(() => {
  workers = new Map(partitions.map((partition) => [partition, new Set()]))
})
afterEach(async () => {
  for (const manager of open.splice(0)) await manager.close()
})

type Means = { wrap?(session: Sql): Sql; monotonic?(): number; epoch?: number }

const start = ({
  wrap = (session) => session,
  monotonic = () => performance.now(),
  epoch = ownEpoch,
}: Means = {}) => {
  const session = connectLeaseSession(database.url)
  const id = uuidv7(Date.now())
  const left: { lease: Lease; why: string }[] = []
  const manager = startLeaseManager({
    session: wrap(session),
    id,
    tenants: [
      {
        take: ({ partition }) => workers.get(partition)?.add(id),
        leave: async (lease, why) => {
          workers.get(lease.partition)?.delete(id)
          left.push({ lease, why })
        },
      },
    ],
    registry: new Registry(),
    log: pino({ level: 'silent' }),
    monotonic,
    epoch,
    paceMs: 20,
  })
  const close = async () => {
    open = open.filter((other) => other !== started)
    await manager.close()
    await session.end()
  }
  const started = { id, left, held: manager.held, superseded: manager.superseded, close }
  open.push(started)
  return started
}
const patience = { timeout: 15_000, interval: 20 }
const everyPartitionHasOne = () =>
  expect([...workers.values()].map((ids) => ids.size)).toEqual(partitions.map(() => 1))
const sizesBecome = (managers: readonly { held: ReadonlyMap<number, Lease> }[], sizes: number[]) =>
  vi.waitFor(() => {
    expect(managers.map((manager) => manager.held.size).toSorted()).toEqual(sizes)
    everyPartitionHasOne()
  }, patience)

test('one control plane owns all partitions; a second gets half; when it stops, the first owns all again', async () => {
  const first = start()
  await sizesBecome([first], [16])
  const second = start()
  await sizesBecome([first, second], [8, 8])
  expect(first.left.every(({ why }) => why === 'released')).toBe(true)
  await second.close()
  await sizesBecome([first], [16])
})

test('three control planes that start together share all partitions', async () => {
  const managers = [start(), start(), start()]
  await vi.waitFor(() => {
    expect(Math.max(...managers.map(({ held }) => held.size))).toBeLessThanOrEqual(6)
    everyPartitionHasOne()
  }, patience)
})

test('a session that is lost ends every lease at once, and they are acquired again under higher epochs', async () => {
  const manager = start()
  await sizesBecome([manager], [16])
  const before = new Map(manager.held)
  await sql`
    select pg_terminate_backend(backend_pid) from control_planes where id = ${manager.id}`
  await vi.waitFor(() => expect(manager.left).toHaveLength(16), patience)
  expect(manager.left.every(({ why }) => why === 'lost')).toBe(true)
  await sizesBecome([manager], [16])
  for (const [partition, { epoch }] of manager.held) {
    expect(epoch).toBeGreaterThan(before.get(partition)?.epoch ?? Infinity)
  }
})

/** Delays the answer to a session's first statement with this text. */
const heldUp = (text: string) => {
  const [answered, goOn] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  let isFirst = true
  const wrap = (session: Sql): Sql =>
    new Proxy(session, {
      apply: (target, self, parts: [TemplateStringsArray, ...unknown[]]) => {
        const query: unknown = Reflect.apply(target, self, parts)
        if (!isFirst || !parts[0].join('').includes(text)) return query
        isFirst = false
        return Promise.resolve(query).then(async (rows) => {
          answered.resolve()
          await goOn.promise
          return rows
        })
      },
    })
  return { wrap, answered: answered.promise, goOn: goOn.resolve }
}
const lockedPartitions = async (): Promise<number[]> => {
  const rows = await sql<{ partition: number }[]>`
    select objid::int as partition from pg_locks where locktype = 'advisory' and classid = ${partitionLockClass}
      and database = (select oid from pg_database where datname = current_database())
    order by partition`
  return rows.map(({ partition }) => partition)
}

test('a lease that was being acquired when all were lost is not kept, and its lock is released', async () => {
  let standstillMs = 0
  const { wrap, answered, goOn } = heldUp('pg_try_advisory_lock')
  const manager = start({ wrap, monotonic: () => performance.now() + standstillMs })
  await answered
  expect(await lockedPartitions()).toHaveLength(1)
  standstillMs = 60_000
  await vi.waitFor(async () => expect(await lockedPartitions()).toEqual([]), patience)
  goOn()
  await sizesBecome([manager], [16])
  expect(await lockedPartitions()).toEqual([...partitions])
})

test('releases all leases when another process took one over, and acquires them again with their locks', async () => {
  const manager = start()
  await sizesBecome([manager], [16])
  const [over] = await sql<{ epoch: string }[]>`
    update partition_leases set epoch = epoch + 1 where partition = 3 returning epoch`
  await vi.waitFor(() => expect(manager.left).toHaveLength(16), patience)
  expect(manager.left.every(({ why }) => why === 'lost')).toBe(true)
  await sizesBecome([manager], [16])
  expect(manager.held.get(3)?.epoch).toBe(Number(over?.epoch) + 1)
})

test('releases a lock when the acquisition fails after locking', async () => {
  await sql`alter table partition_leases add constraint refused check (partition <> 3) not valid`
  const manager = start()
  await vi.waitFor(async () => {
    expect([...manager.held.keys()]).toEqual([0, 1, 2])
    expect(await lockedPartitions()).toEqual([0, 1, 2])
  }, patience)
  expect(manager.left).toEqual([])
  await sql`alter table partition_leases drop constraint refused`
  await sizesBecome([manager], [16])
  expect(await lockedPartitions()).toEqual([...partitions])
})

test('an older version owns nothing while a newer version that raised the fence runs, and owns all again once it is gone', async () => {
  const older = start({ epoch: ownEpoch - 1 })
  await sizesBecome([older], [16])
  const newer = start()
  await sizesBecome([older, newer], [8, 8])
  await sql`update schema_epoch set fence = ${ownEpoch}`
  await vi.waitFor(() => {
    expect(newer.held.size).toBe(16)
    expect(older.superseded()).toMatch(/a newer control plane took over/)
    everyPartitionHasOne()
  }, patience)
  expect(newer.superseded()).toBe(null)
  await newer.close()
  await sizesBecome([older], [16])
  expect(older.superseded()).toBe(null)
  await sql`update schema_epoch set fence = 0`
})

test('a version that the database no longer accepts releases everything and names the accepted epoch', async () => {
  const manager = start()
  await sizesBecome([manager], [16])
  await sql`update schema_epoch set least = ${ownEpoch + 1}`
  await vi.waitFor(async () => {
    expect(manager.held.size).toBe(0)
    expect(manager.superseded()).toMatch(
      `this version is of epoch ${ownEpoch}, and the database takes epoch ${ownEpoch + 1} or later`,
    )
    expect(await lockedPartitions()).toEqual([])
  }, patience)
  await sql`update schema_epoch set least = ${ownEpoch - 1}`
  await sizesBecome([manager], [16])
})
