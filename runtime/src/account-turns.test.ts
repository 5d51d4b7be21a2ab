import { createFairPool } from '@probe-mesh/runtime/fair-pool'
import { createTestDatabase } from '@probe-mesh/infra/testing/postgres'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { inTurn, shareStore, StoreBusy } from './account-turns.ts'
import { connectPostgres, type Sql } from '../../control-plane/src/stores/postgres/connect.ts'
import { inAccount } from '../../control-plane/src/stores/postgres/in-account.ts'

const bounds = { places: 4, placesOfOwner: 2, waiting: 500, waitingOfOwner: 10 }

test.each([2, 50])('a new account is next while %i accounts use their full share', async (others) => {
  const store = {}
  const pool = createFairPool(bounds)
  shareStore(store, { pool, waitMsMax: 60_000 })
  const order: string[] = []
  const ends: (() => void)[] = []
  const work = (account: string) =>
    inTurn(store, account, () => {
      order.push(account)
      return new Promise<void>((resolve) => ends.push(resolve))
    })
  const works = Array.from({ length: others }, (_, n) => n).flatMap((n) =>
    Array.from({ length: 5 }, () => work(`flood ${n}`)),
  )
  await vi.waitFor(() => expect(pool.taken).toBe(4))
  const victim = work('victim')
  await vi.waitFor(() => expect(pool.waiting).toBe(others * 5 - 4 + 1))
  // round robin: at most one work of each other account runs first
  let rounds = 0
  while (!order.includes('victim')) {
    ends.shift()?.()
    await new Promise((resolve) => setImmediate(resolve))
    rounds += 1
    expect(rounds).toBeLessThanOrEqual(others + 1)
  }
  while (pool.taken > 0) {
    ends.shift()?.()
    await new Promise((resolve) => setImmediate(resolve))
  }
  await Promise.all([...works, victim])
})

test('refuses an account that waits too long or has too many waiting', async () => {
  const store = {}
  const pool = createFairPool({ places: 1, placesOfOwner: 1, waiting: 1, waitingOfOwner: 1 })
  shareStore(store, { pool, waitMsMax: 1 })
  const held = Promise.withResolvers<void>()
  const first = inTurn(store, 'a', () => held.promise)
  const late = inTurn(store, 'b', async () => undefined)
  await expect(inTurn(store, 'b', async () => undefined)).rejects.toBeInstanceOf(StoreBusy)
  await expect(late).rejects.toBeInstanceOf(StoreBusy)
  held.resolve()
  await first
  expect(await inTurn(store, 'b', async () => 'served')).toBe('served')
})

test('returns the place of failed work', async () => {
  const store = {}
  const pool = createFairPool({ places: 1, placesOfOwner: 1, waiting: 0, waitingOfOwner: 0 })
  shareStore(store, { pool, waitMsMax: 1 })
  await expect(inTurn(store, 'a', () => Promise.reject(new Error('failed')))).rejects.toThrow('failed')
  expect(pool.taken).toBe(0)
})

describe('connections to Postgres', () => {
  let database: Awaited<ReturnType<typeof createTestDatabase>>
  let sql: Sql
  let watcher: Sql
  beforeAll(async () => {
    database = await createTestDatabase()
    sql = connectPostgres(database.url, { role: 'probe_mesh_account', connectionsMax: 4 })
    watcher = connectPostgres(database.url, { connectionsMax: 1 })
    shareStore(sql, { pool: createFairPool(bounds), waitMsMax: 60_000 })
  })
  afterAll(async () => {
    await Promise.all([sql.end(), watcher.end()])
    await database.close()
  })
  const accounts = Array.from({ length: 3 }, (_, n) => `0190c2a4-7d3e-7b6f-8a11-2b3c4d5e6f7${n}`) as [
    string,
    string,
    string,
  ]

  test('of one account with slow statements leave connections to others', async () => {
    const [flood, victim] = accounts
    await watcher`select pg_advisory_lock(1)`
    const slow = Array.from({ length: 10 }, () =>
      inAccount(sql, flood, (tx) => tx`select pg_advisory_xact_lock_shared(1)`),
    )
    await vi.waitFor(async () => {
      const [row] = await watcher`select count(*)::int as n from pg_locks
        where locktype = 'advisory' and not granted`
      expect(row?.n).toBe(2)
    })
    const [row] = await inAccount(sql, victim, (tx) => tx`select current_account() as account`)
    expect(row?.account).toBe(victim)
    await watcher`select pg_advisory_unlock(1)`
    await Promise.all(slow)
  })

  test('end a statement of an account after ten seconds', async () => {
    const [row] = await inAccount(sql, accounts[0], (tx) => tx`show statement_timeout`)
    expect(row?.statement_timeout).toBe('10s')
  })
})
