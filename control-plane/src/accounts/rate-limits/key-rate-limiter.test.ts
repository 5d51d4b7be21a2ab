import { afterAll, beforeAll, expect, test } from 'vitest'
import { connectPostgres, type Sql } from '../../stores/postgres/connect.ts'
import { pruneQuotas, type QuotaName } from './quota-store.ts'
import type { KeyRateLimiter } from './key-rate-limiter.ts'
import type { QuotaOwner } from './quota-counter.ts'
import { startRateLimitTest, type RateLimitTest } from './testing.ts'

let at: RateLimitTest
let unreachable: Sql
beforeAll(async () => {
  at = await startRateLimitTest()
  // nothing listens on this port
  unreachable = connectPostgres('postgres://nobody:nothing@127.0.0.1:9/none', { connectionsMax: 2 })
})
afterAll(async () => {
  await unreachable.end({ timeout: 0 })
  await at.close()
})

/** A connection whose statements run through `via`. */
const switched = (via: (statement: () => unknown) => unknown): Sql =>
  new Proxy(at.sql, {
    apply: (target, self, parts) => via(() => Reflect.apply(target, self, parts)),
  })

/** A connection that reaches no server while `isUnavailable`. */
const unavailableWhile = (isUnavailable: () => boolean): Sql =>
  new Proxy(at.sql, {
    apply: (target, self, parts) => Reflect.apply(isUnavailable() ? unreachable : target, self, parts),
  })

const countQueries = (): { sql: Sql; queries: () => number } => {
  let queries = 0
  const sql = switched((statement) => {
    queries += 1
    return statement()
  })
  return { sql, queries: () => queries }
}

const spendMany = async (
  limiter: KeyRateLimiter,
  owner: QuotaOwner,
  name: QuotaName,
  calls: number,
): Promise<number> => {
  let allowed = 0
  for (let n = 0; n < calls; n++) if ((await limiter.spend(owner, name)).allowed) allowed += 1
  return allowed
}

test('each key has its own quotas, and the operator scales both', async () => {
  const [owner, other] = [await at.key(), await at.key()]
  const limiter = at.instance({ scale: 0.1 })
  expect(await spendMany(limiter, owner, 'reads', 12)).toBe(12)
  expect(await limiter.spend(owner, 'reads')).toEqual({
    allowed: false,
    policy: '"reads";q=12;w=60',
    rateLimit: '"reads";r=0;t=60',
    retryAfterSeconds: 60,
  })
  expect(await limiter.left(owner)).toEqual({ reads: 0, writes: 3, writesResetSeconds: expect.any(Number) })
  expect(await limiter.left(other)).toEqual({ reads: 12, writes: 3, writesResetSeconds: expect.any(Number) })
})

test('a scale that rounds to zero still allows one call', async () => {
  const owner = await at.key()
  const limiter = at.instance({ scale: 0.001 })
  expect(await spendMany(limiter, owner, 'writes', 5)).toBe(1)
  at.pass(60_000)
  // this second was promised to the first refused call, which did not return
  expect(await spendMany(limiter, owner, 'writes', 5)).toBe(1)
})

test("an instance sees another's usage, and the part of its block that it returned", async () => {
  const owner = await at.key()
  const [one, two] = [at.instance(), at.instance()]
  expect(await spendMany(one, owner, 'reads', 50)).toBe(50)
  await spendMany(one, owner, 'writes', 5)
  expect(await one.left(owner)).toEqual({ reads: 70, writes: 25, writesResetSeconds: expect.any(Number) })
  at.pass(1_000)
  await one.settle()
  expect(await two.left(owner)).toEqual({ reads: 70, writes: 25, writesResetSeconds: expect.any(Number) })
  expect(await two.look(owner, 'reads')).toMatchObject({ rateLimit: '"reads";r=70;t=59' })
})

test('decides most calls of a burst of reads from memory', async () => {
  const owner = await at.key()
  const { sql, queries } = countQueries()
  const limiter = at.instance({ sql })
  expect(await spendMany(limiter, owner, 'reads', 120)).toBe(120)
  expect(queries()).toBeLessThan(40)
})

test('simultaneous calls of one key share a query', async () => {
  const owner = await at.key()
  const { sql, queries } = countQueries()
  const limiter = at.instance({ sql })
  const states = await Promise.all(Array.from({ length: 40 }, () => limiter.spend(owner, 'writes')))
  expect(states.filter((state) => state.allowed)).toHaveLength(30)
  expect(queries()).toBe(2)
})

test('decides most calls of many parallel callers of one key from memory', async () => {
  const owner = await at.key()
  const { sql, queries } = countQueries()
  const limiter = at.instance({ sql, scale: 100 })
  const callers = Array.from({ length: 32 }, () => spendMany(limiter, owner, 'reads', 50))
  expect(await Promise.all(callers)).toEqual(callers.map(() => 50))
  // each query leases twice as much as the one before: 2 ** 11 is more than these calls
  expect(queries()).toBeLessThanOrEqual(14)
  expect(await limiter.left(owner)).toMatchObject({ reads: 12_000 - 1_600 })
})

test('refuses from memory when the quota is used up, up to four windows ahead', async () => {
  const owner = await at.key()
  const { sql, queries } = countQueries()
  const limiter = at.instance({ sql })
  await spendMany(limiter, owner, 'writes', 30)
  const before = queries()
  expect(await spendMany(limiter, owner, 'writes', 5_000)).toBe(0)
  expect(queries() - before).toBeLessThan(12)
  const last = await limiter.spend(owner, 'writes')
  expect(last.retryAfterSeconds).toBeGreaterThan(180)
  expect(last.retryAfterSeconds).toBeLessThanOrEqual(250)
  // a caller that retries early is served as soon as an unpromised place is free
  at.pass(61_000)
  expect(await spendMany(limiter, owner, 'writes', 31)).toBe(30)
})

test('the block of a dead instance counts until the block and the window have expired', async () => {
  const owner = await at.key()
  let died = false
  const sql = switched((statement) => (died ? Promise.reject(new Error('dead')) : statement()))
  await spendMany(at.instance({ sql }), owner, 'reads', 24)
  died = true
  const [row] = await at.sql<{ held: number }[]>`
    select sum(places)::integer as held from budgets cross join lateral unnest(uses)
    where key_id = ${owner.keyId} and block is not null`
  expect(row?.held).toBe(7)
  const limiter = at.instance()
  at.pass(60_999)
  expect(await limiter.left(owner)).toMatchObject({ reads: 113 })
  at.pass(1)
  expect(await limiter.left(owner)).toMatchObject({ reads: 120 })
})

test('a place of a block counts from its use, not from its lease', async () => {
  const owner = await at.key()
  const [limiter, other] = [at.instance(), at.instance()]
  await spendMany(limiter, owner, 'reads', 24)
  at.pass(900)
  expect(limiter.spend(owner, 'reads')).toMatchObject({ allowed: true })
  at.pass(100)
  await limiter.settle()
  at.pass(59_000)
  expect(await other.left(owner)).toMatchObject({ reads: 119 })
  at.pass(899)
  expect(await other.left(owner)).toMatchObject({ reads: 119 })
  at.pass(1)
  expect(await other.left(owner)).toMatchObject({ reads: 120 })
})

test('a lost result is settled once, and its grants count', async () => {
  const owner = await at.key()
  let lose = false
  const sql = switched(async (statement) => {
    const answer = await statement()
    if (lose) throw Object.assign(new Error('write CONNECTION_CLOSED'), { code: 'CONNECTION_CLOSED' })
    return answer
  })
  const [limiter, other] = [at.instance({ sql }), at.instance()]
  await spendMany(limiter, owner, 'reads', 24)
  at.pass(1_000)
  lose = true
  await limiter.settle()
  lose = false
  at.pass(1_000)
  await limiter.settle()
  expect(await other.left(owner)).toEqual({ reads: 96, writes: 30, writesResetSeconds: expect.any(Number) })
})

test('while Postgres is unavailable each instance counts alone, logs it once, and reports its uses later', async () => {
  const owner = await at.key()
  let isDown = true
  const limiter = at.instance({ sql: unavailableWhile(() => isDown) })
  expect(await spendMany(limiter, owner, 'writes', 20)).toBe(20)
  at.pass(1_000)
  expect(await spendMany(limiter, owner, 'writes', 15)).toBe(10)
  expect(await limiter.spend(owner, 'writes')).toMatchObject({
    rateLimit: '"writes";r=0;t=59',
    policy: '"writes";q=30;w=60',
  })
  expect(await limiter.left(owner)).toMatchObject({ reads: 120 })
  expect(limiter.logged.filter((line) => line.includes('counts alone'))).toHaveLength(1)
  expect(await limiter.metrics()).toMatch(/budget_calls_alone_total 36\n/)

  isDown = false
  at.pass(1_000)
  await limiter.settle()
  expect(await at.instance().left(owner)).toEqual({
    reads: 120,
    writes: 0,
    writesResetSeconds: expect.any(Number),
  })
  expect(limiter.logged.filter((line) => line.includes('again'))).toHaveLength(1)
  at.pass(60_000)
  expect(await at.instance().left(owner)).toEqual({
    reads: 120,
    writes: 30,
    writesResetSeconds: expect.any(Number),
  })
})

test('a Postgres that does not answer delays the calls of one query only', async () => {
  const [owner, other] = [await at.key(), await at.key()]
  const late = Promise.withResolvers<void>()
  const sql = switched(async (statement) => {
    await late.promise
    return statement()
  })
  const limiter = at.instance({ sql, queryMsMax: 1_000 })
  expect(await limiter.spend(owner, 'writes')).toMatchObject({ allowed: true })
  expect(limiter.spend(other, 'writes')).toMatchObject({ allowed: true })
  expect(limiter.spend(owner, 'reads')).toMatchObject({ allowed: true })
  late.resolve()
})

test('a key unknown to Postgres is counted locally, other keys across instances', async () => {
  const owner = await at.key()
  const limiter = at.instance()
  const unknown = { ...owner, keyId: '0190c2a4-7d3e-7b6f-8a11-2b3c4d5e6f70' }
  expect(await limiter.spend(unknown, 'writes')).toMatchObject({ allowed: true })
  expect(await limiter.spend(owner, 'writes')).toMatchObject({ allowed: true })
  expect(await at.instance().left(owner)).toEqual({
    reads: 120,
    writes: 29,
    writesResetSeconds: expect.any(Number),
  })
})

test('a quota of millions needs few queries and a row of bounded size', async () => {
  const owner = await at.key()
  const { sql, queries } = countQueries()
  const limiter = at.instance({ sql, scale: 100_000 })
  for (let n = 0; n < 40_000; n++) {
    const state = limiter.spend(owner, 'reads')
    if (!(state instanceof Promise ? await state : state).allowed) throw new Error('refused')
    if (n % 200 === 0) at.pass(50)
  }
  expect(queries()).toBeLessThan(60)
  for (let n = 0; n < 3_000; n++) {
    await limiter.spend(owner, 'writes')
    at.pass(30)
  }
  const rows = await at.sql<{ entries: number }[]>`
    select cardinality(uses) as entries from budgets where key_id = ${owner.keyId}`
  for (const { entries } of rows) expect(entries).toBeLessThan(250)
})

test('forgets keys that were idle for a window, and bounds the keys in memory', async () => {
  const owner = await at.key()
  let isDown = true
  const limiter = at.instance({ sql: unavailableWhile(() => isDown) })
  for (let n = 0; n < 20_100; n++) await limiter.spend({ ...owner, keyId: `key ${n}` }, 'reads')
  expect(limiter.size()).toBe(20_000)
  isDown = false
  at.pass(30_000)
  await limiter.spend(owner, 'reads')
  at.pass(30_000)
  await limiter.settle()
  expect(limiter.size()).toBe(1)
  expect(await limiter.left(owner)).toEqual({
    reads: 119,
    writes: 30,
    writesResetSeconds: expect.any(Number),
  })
})

test('deletes rows of idle keys', async () => {
  const owner = await at.key()
  const limiter = at.instance()
  await limiter.spend(owner, 'reads')
  await pruneQuotas(at.sql, 3_600_000)
  expect(await limiter.left(owner)).toEqual({
    reads: 119,
    writes: 30,
    writesResetSeconds: expect.any(Number),
  })
  expect(await pruneQuotas(at.sql, 0)).toBeGreaterThan(0)
  expect(await limiter.left(owner)).toEqual({
    reads: 120,
    writes: 30,
    writesResetSeconds: expect.any(Number),
  })
})

test('all keys of an account share a quota, counted across instances', async () => {
  const first = await at.key()
  const keys = await Promise.all(
    Array.from({ length: 20 }, (_, n) => at.anotherKey(first.accountId, `key ${n}`)),
  )
  const many = keys.map((key) => ({ ...key, manyKeys: true }))
  const [one, two] = [at.instance(), at.instance()]
  let allowed = 0
  for (const [n, key] of many.entries()) {
    allowed += await spendMany(n % 2 === 0 ? one : two, key, 'writes', 30)
  }
  // as much as ten keys, whatever blocks the two instances have leased
  expect(allowed).toBeLessThanOrEqual(300)
  expect(allowed).toBeGreaterThanOrEqual(250)
  const fresh = { ...(await at.anotherKey(first.accountId, 'one more')), manyKeys: true }
  const refused = await one.spend(fresh, 'writes')
  expect(refused).toMatchObject({ allowed: false, ofAccount: true })
  expect(refused.policy).toBe('"writes";q=300;w=60')
  expect(await one.left(fresh)).toMatchObject({ reads: 120, writes: 0 })
  const other = { ...(await at.key()), manyKeys: true }
  expect((await one.spend(other, 'writes')).allowed).toBe(true)
  // an account with few keys is not counted: it cannot reach the shared quota
  expect((await one.spend(first, 'writes')).allowed).toBe(true)
})
