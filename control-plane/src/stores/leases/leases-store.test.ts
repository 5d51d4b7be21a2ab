import { uuidv7 } from '@probe-mesh/contracts/schema/ids'
import { partitionOf } from '@probe-mesh/contracts/mesh/subjects'
import { useTestDatabase } from '@probe-mesh/infra/testing/postgres'
import { afterEach, expect, test, vi } from 'vitest'
import { newCheckState } from '../../status/state.ts'
import { connectLeaseSession, type Sql } from '../postgres/connect.ts'
import { openBatches, recordBatch } from '../../mesh/ingest/ingest-batches-store.ts'
import {
  deleteHolder,
  endSilentHolders,
  findControlPlanes,
  heldLeases,
  liveHolders,
  registerHolder,
  releaseLease,
  renewHolder,
  acquireLease,
  type Lease,
} from './leases-store.ts'
import { findStatesOfChecks, recordFlips, writeStates } from '../../status/states-store.ts'
import { insertTestCheck } from '../postgres/testing.ts'
import { transact } from '../postgres/transact.ts'

const database = useTestDatabase()
const sql = database.use()
const sessions: Sql[] = []

afterEach(async () => {
  for (const session of sessions.splice(0)) await session.end()
  // a backend may outlive its connection briefly, and the next test counts live owners
  await vi.waitFor(async () => expect(await liveHolders(sql)).toEqual([]))
})

const holder = async () => {
  const session = connectLeaseSession(database.url)
  sessions.push(session)
  const id = uuidv7(Date.now())
  await registerHolder(session, id)
  return { session, id }
}
const take = async ({ session, id }: { session: Sql; id: string }, partition: number) => {
  const lease = await acquireLease(session, partition, id)
  if (lease === null) throw new Error(`partition ${partition} is taken`)
  return lease
}
const silence = (id: string) =>
  sql`update control_planes set seen_at = seen_at - interval '1 minute' where id = ${id}`

test('a partition has one owner, and a new owner only under a higher epoch', async () => {
  const [one, other] = [await holder(), await holder()]
  const lease = await take(one, 3)
  expect(await acquireLease(other.session, 3, other.id)).toBeNull()
  await releaseLease(one.session, lease)
  expect((await take(other, 3)).epoch).toBe(lease.epoch + 1)
})

test('a session that ends releases its partitions, and its owner is no longer counted', async () => {
  const [one, other] = [await holder(), await holder()]
  const lease = await take(one, 4)
  await one.session.end()
  await vi.waitFor(async () => {
    expect(await liveHolders(other.session)).toEqual([other.id])
    expect((await take(other, 4)).epoch).toBe(lease.epoch + 1)
  })
})

test('ends the session of an owner that stopped renewing, and that owner notices', async () => {
  const [paused, other] = [await holder(), await holder()]
  await take(paused, 5)
  expect(await endSilentHolders(other.session)).toBe(0)
  await silence(paused.id)
  expect(await liveHolders(other.session)).toEqual([other.id])
  expect(await endSilentHolders(other.session)).toBe(1)
  await vi.waitFor(async () => expect(await acquireLease(other.session, 5, other.id)).not.toBeNull())
  const still = await renewHolder(paused.session, paused.id).catch(() => false)
  expect(still || (await renewHolder(paused.session, paused.id))).toBe(false)
})

test('a control plane that ends without a stop is remembered until its host and port are used again', async () => {
  const about = { host: 'a', port: 1, pid: 7, version: '1', regions: ['fra'] }
  const begin = async (over: Partial<typeof about>) => {
    const session = connectLeaseSession(database.url)
    sessions.push(session)
    const id = uuidv7(Date.now())
    await registerHolder(session, id, undefined, { ...about, ...over })
    return { session, id }
  }
  const known = async () => (await findControlPlanes(sql)).map(({ about: one }) => [one?.host, one?.port])
  const [one, two] = [await begin({}), await begin({ port: 2 })]
  await one.session.end()
  await begin({ host: 'b' })
  expect((await known()).toSorted()).toEqual([
    ['a', 1],
    ['a', 2],
    ['b', 1],
  ])
  await begin({ pid: 8 })
  expect((await known()).filter(([host, port]) => host === 'a' && port === 1)).toHaveLength(1)
  // an orderly stop leaves nothing
  await deleteHolder(two.session, two.id)
  expect(await known()).toHaveLength(2)
})

test('the next owner acquires a partition only after a running write of the former owner', async () => {
  const [one, other] = [await holder(), await holder()]
  const lease = await take(one, 6)
  const [writing, finish] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const write = sql.begin(async (tx) => {
    await tx`with ${heldLeases(tx, [lease])} select partition from held`
    writing.resolve()
    await finish.promise
  })
  await writing.promise
  await one.session.end()
  let taken: Lease | null = null
  const taking = vi.waitFor(async () => {
    taken = await take(other, 6)
  })
  await vi.waitFor(async () => {
    const waiting = await sql`
      select from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock'
        and query like '%set epoch%'`
    expect(waiting.count).toBe(1)
  })
  expect(taken).toBeNull()
  finish.resolve()
  await Promise.all([write, taking])
  expect(taken).toMatchObject({ epoch: lease.epoch + 1 })
})

const flipOf = (checkId: string, lease: Lease) => ({
  checkId,
  lease,
  expectedVersion: 0,
  state: { ...newCheckState, status: 'operational' as const, version: 1 },
  flips: [
    {
      id: uuidv7(Date.now()),
      outboxId: uuidv7(Date.now()),
      version: 1,
      change: { from: 'unknown' as const, to: 'operational' as const, reason: null, atMs: 1 },
      payload: { flip: checkId },
    },
  ],
})

test('a former owner writes nothing: no flip, no state, no batch, and learns that it lost the lease', async () => {
  const checkId = await insertTestCheck(sql, { regions: ['fra'] })
  const [one, other] = [await holder(), await holder()]
  const former = await take(one, partitionOf(checkId))
  await releaseLease(one.session, former)
  const lease = await take(other, partitionOf(checkId))

  expect(await recordFlips(sql, [flipOf(checkId, former)], 1)).toEqual({
    won: new Set(),
    held: new Set(),
  })
  const state = { ...newCheckState, statusReason: 'of the former owner' }
  expect(await writeStates(sql, [{ checkId, lease: former, state }], [former])).toEqual(new Set())
  const batch = { token: uuidv7(Date.now()), createdAtMs: 1, ranges: [], dropped: [] }
  const poison = {
    id: uuidv7(Date.now()),
    partition: 0,
    sequence: 1,
    owner: 'fra',
    reason: 'test',
    payload: Uint8Array.of(1, 255),
    receivedAtMs: 1,
  }
  const mixed = [former, await take(other, (former.partition + 1) % 16)]
  expect(await recordBatch(sql, batch, [poison], mixed)).toEqual(new Set([former.partition]))
  expect(await openBatches(sql)).toEqual([])
  expect(await sql`select from poison_messages`).toHaveLength(0)
  expect((await findStatesOfChecks(sql, [checkId]))[0]?.state).toEqual(newCheckState)
  expect(await sql`select from outbox where payload ->> 'flip' = ${checkId}`).toHaveLength(0)

  expect(await recordFlips(sql, [flipOf(checkId, lease)], 1)).toEqual({
    won: new Set([checkId]),
    held: new Set([lease.partition]),
  })
  const told = await sql`select kind from outbox where payload ->> 'flip' = ${checkId} order by kind`
  expect(told.map(({ kind }) => kind)).toEqual(['alert', 'flip'])
  expect(await recordBatch(sql, batch, [poison], [lease])).toEqual(new Set())
  expect(await openBatches(sql)).toHaveLength(1)
  const [kept] = await sql`select payload from poison_messages`
  expect(new Uint8Array(kept?.['payload'])).toEqual(Uint8Array.of(1, 255))
})

test('a flip of a check that is being deleted waits for the delete and is not recorded', async () => {
  const one = await holder()
  const checkId = await insertTestCheck(sql, { regions: ['fra'] })
  const lease = await take(one, partitionOf(checkId))
  const recorded = await transact(sql, async (tx) => {
    await tx`select from checks where id = ${checkId} for update`
    const recording = recordFlips(sql, [flipOf(checkId, lease)], 1)
    await vi.waitFor(async () => {
      const waiting = await sql`
        select from pg_stat_activity
        where datname = current_database() and wait_event_type = 'Lock'`
      expect(waiting).toHaveLength(1)
    })
    // also locks the state's row, to avoid a deadlock with a transaction that holds it and waits for the
    // check
    await tx`delete from checks where id = ${checkId}`
    return { recording }
  })
  expect((await recorded.recording).won).toEqual(new Set())
})
