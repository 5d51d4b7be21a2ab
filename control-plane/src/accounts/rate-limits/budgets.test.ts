import { afterAll, beforeAll, expect, test } from 'vitest'
import { connectPostgres } from '../../stores/postgres/connect.ts'
import type { Sql } from '../../stores/postgres/connect.ts'
import { pruneBudgets } from './budgets-store.ts'
import type { BudgetName } from './budgets-store.ts'
import type { Budgets } from './budgets.ts'
import type { BudgetOwner } from './counter.ts'
import { startBudgetTest } from './testing.ts'
import type { BudgetTest } from './testing.ts'

let at: BudgetTest
let nobody: Sql
beforeAll(async () => {
  at = await startBudgetTest()
  // nothing listens there
  nobody = connectPostgres('postgres://nobody:nothing@127.0.0.1:9/none', { connectionsMax: 2 })
})
afterAll(async () => {
  await nobody.end({ timeout: 0 })
  await at.close()
})

/** A connection whose statements go where `via` says at the time. */
const switched = (via: (statement: () => unknown) => unknown): Sql =>
  new Proxy(at.sql, {
    apply: (target, self, parts) => via(() => Reflect.apply(target, self, parts)),
  })

/** A connection to nobody for as long as it says so. */
const awayWhile = (isAway: () => boolean): Sql =>
  new Proxy(at.sql, {
    apply: (target, self, parts) => Reflect.apply(isAway() ? nobody : target, self, parts),
  })

const countTrips = (): { sql: Sql; trips: () => number } => {
  let trips = 0
  const sql = switched((statement) => {
    trips += 1
    return statement()
  })
  return { sql, trips: () => trips }
}

const spendMany = async (
  budgets: Budgets,
  owner: BudgetOwner,
  name: BudgetName,
  calls: number,
): Promise<number> => {
  let allowed = 0
  for (let n = 0; n < calls; n++) if ((await budgets.spend(owner, name)).allowed) allowed += 1
  return allowed
}

test('keys have budgets of their own, and the operator scales both of them', async () => {
  const [owner, other] = [await at.key(), await at.key()]
  const budgets = at.instance({ scale: 0.1 })
  expect(await spendMany(budgets, owner, 'reads', 12)).toBe(12)
  expect(await budgets.spend(owner, 'reads')).toEqual({
    allowed: false,
    policy: '"reads";q=12;w=60',
    rateLimit: '"reads";r=0;t=60',
    retryAfterSeconds: 60,
  })
  expect(await budgets.left(owner)).toEqual({ reads: 0, writes: 3 })
  expect(await budgets.left(other)).toEqual({ reads: 12, writes: 3 })
})

test('a scale below one call still leaves one', async () => {
  const owner = await at.key()
  const budgets = at.instance({ scale: 0.001 })
  expect(await spendMany(budgets, owner, 'writes', 5)).toBe(1)
  at.pass(60_000)
  // the first refused call was told this second, and nobody came
  expect(await spendMany(budgets, owner, 'writes', 5)).toBe(1)
})

test('what one instance has used another knows, with what is left of the block of the first', async () => {
  const owner = await at.key()
  const [one, two] = [at.instance(), at.instance()]
  expect(await spendMany(one, owner, 'reads', 50)).toBe(50)
  await spendMany(one, owner, 'writes', 5)
  expect(await one.left(owner)).toEqual({ reads: 70, writes: 25 })
  at.pass(1_000)
  await one.settle()
  expect(await two.left(owner)).toEqual({ reads: 70, writes: 25 })
  expect(await two.look(owner, 'reads')).toMatchObject({ rateLimit: '"reads";r=70;t=59' })
})

test('a burst of reads is decided from memory for the most part', async () => {
  const owner = await at.key()
  const { sql, trips } = countTrips()
  const budgets = at.instance({ sql })
  expect(await spendMany(budgets, owner, 'reads', 120)).toBe(120)
  expect(trips()).toBeLessThan(40)
})

test('calls of one key that come at once share a trip', async () => {
  const owner = await at.key()
  const { sql, trips } = countTrips()
  const budgets = at.instance({ sql })
  const states = await Promise.all(Array.from({ length: 40 }, () => budgets.spend(owner, 'writes')))
  expect(states.filter((state) => state.allowed)).toHaveLength(30)
  expect(trips()).toBe(2)
})

test('many callers of one key at once are decided from memory as well', async () => {
  const owner = await at.key()
  const { sql, trips } = countTrips()
  const budgets = at.instance({ sql, scale: 100 })
  const callers = Array.from({ length: 32 }, () => spendMany(budgets, owner, 'reads', 50))
  expect(await Promise.all(callers)).toEqual(callers.map(() => 50))
  // each trip brings twice as much as the one before: 2 ** 11 calls are more than these
  expect(trips()).toBeLessThanOrEqual(14)
  expect(await budgets.left(owner)).toMatchObject({ reads: 12_000 - 1_600 })
})

test('a budget that is used up refuses from memory, up to four windows ahead', async () => {
  const owner = await at.key()
  const { sql, trips } = countTrips()
  const budgets = at.instance({ sql })
  await spendMany(budgets, owner, 'writes', 30)
  const before = trips()
  expect(await spendMany(budgets, owner, 'writes', 5_000)).toBe(0)
  expect(trips() - before).toBeLessThan(12)
  const last = await budgets.spend(owner, 'writes')
  expect(last.retryAfterSeconds).toBeGreaterThan(180)
  expect(last.retryAfterSeconds).toBeLessThanOrEqual(250)
  // whoever does not wait as told is served as soon as there is a place that nobody waits for
  at.pass(61_000)
  expect(await spendMany(budgets, owner, 'writes', 31)).toBe(30)
})

test('what a dead instance had at hand counts until its block and the window are over', async () => {
  const owner = await at.key()
  let died = false
  const sql = switched((statement) => (died ? Promise.reject(new Error('dead')) : statement()))
  await spendMany(at.instance({ sql }), owner, 'reads', 24)
  died = true
  const [row] = await at.sql<{ held: number }[]>`
    select sum(places)::integer as held from budgets cross join lateral unnest(uses)
    where key_id = ${owner.keyId} and block is not null`
  expect(row?.held).toBe(7)
  const budgets = at.instance()
  at.pass(60_999)
  expect(await budgets.left(owner)).toMatchObject({ reads: 113 })
  at.pass(1)
  expect(await budgets.left(owner)).toMatchObject({ reads: 120 })
})

test('a place of a block counts from when it was used, not from when it was handed out', async () => {
  const owner = await at.key()
  const [budgets, other] = [at.instance(), at.instance()]
  await spendMany(budgets, owner, 'reads', 24)
  at.pass(900)
  expect(budgets.spend(owner, 'reads')).toMatchObject({ allowed: true })
  at.pass(100)
  await budgets.settle()
  at.pass(59_000)
  expect(await other.left(owner)).toMatchObject({ reads: 119 })
  at.pass(899)
  expect(await other.left(owner)).toMatchObject({ reads: 119 })
  at.pass(1)
  expect(await other.left(owner)).toMatchObject({ reads: 120 })
})

test('an answer that got lost is settled once, and its grants count', async () => {
  const owner = await at.key()
  let lose = false
  const sql = switched(async (statement) => {
    const answer = await statement()
    if (lose)
      throw Object.assign(new Error('write CONNECTION_CLOSED'), { code: 'CONNECTION_CLOSED' })
    return answer
  })
  const [budgets, other] = [at.instance({ sql }), at.instance()]
  await spendMany(budgets, owner, 'reads', 24)
  at.pass(1_000)
  lose = true
  await budgets.settle()
  lose = false
  at.pass(1_000)
  await budgets.settle()
  expect(await other.left(owner)).toEqual({ reads: 96, writes: 30 })
})

test('while Postgres is away each instance counts alone, says so once, and tells what was used later', async () => {
  const owner = await at.key()
  let away = true
  const budgets = at.instance({ sql: awayWhile(() => away) })
  expect(await spendMany(budgets, owner, 'writes', 20)).toBe(20)
  at.pass(1_000)
  expect(await spendMany(budgets, owner, 'writes', 15)).toBe(10)
  expect(await budgets.spend(owner, 'writes')).toMatchObject({
    rateLimit: '"writes";r=0;t=59',
    policy: '"writes";q=30;w=60',
  })
  expect(await budgets.left(owner)).toMatchObject({ reads: 120 })
  expect(budgets.logged.filter((line) => line.includes('counts alone'))).toHaveLength(1)
  expect(await budgets.metrics()).toMatch(/budget_calls_alone_total 36\n/)

  away = false
  at.pass(1_000)
  await budgets.settle()
  expect(await at.instance().left(owner)).toEqual({ reads: 120, writes: 0 })
  expect(budgets.logged.filter((line) => line.includes('again'))).toHaveLength(1)
  at.pass(60_000)
  expect(await at.instance().left(owner)).toEqual({ reads: 120, writes: 30 })
})

test('a Postgres that does not answer holds up the calls of one trip, and no others', async () => {
  const [owner, other] = [await at.key(), await at.key()]
  const late = Promise.withResolvers<void>()
  const sql = switched(async (statement) => {
    await late.promise
    return statement()
  })
  const budgets = at.instance({ sql, tripMsMax: 1_000 })
  expect(await budgets.spend(owner, 'writes')).toMatchObject({ allowed: true })
  expect(budgets.spend(other, 'writes')).toMatchObject({ allowed: true })
  expect(budgets.spend(owner, 'reads')).toMatchObject({ allowed: true })
  late.resolve()
})

test('a key that Postgres does not know is counted alone, and the others together', async () => {
  const owner = await at.key()
  const budgets = at.instance()
  const unknown = { ...owner, keyId: '0190c2a4-7d3e-7b6f-8a11-2b3c4d5e6f70' }
  expect(await budgets.spend(unknown, 'writes')).toMatchObject({ allowed: true })
  expect(await budgets.spend(owner, 'writes')).toMatchObject({ allowed: true })
  expect(await at.instance().left(owner)).toEqual({ reads: 120, writes: 29 })
})

test('a budget of millions costs few trips and a row of a bounded size', async () => {
  const owner = await at.key()
  const { sql, trips } = countTrips()
  const budgets = at.instance({ sql, scale: 100_000 })
  for (let n = 0; n < 40_000; n++) {
    const state = budgets.spend(owner, 'reads')
    if (!(state instanceof Promise ? await state : state).allowed) throw new Error('refused')
    if (n % 200 === 0) at.pass(50)
  }
  expect(trips()).toBeLessThan(60)
  for (let n = 0; n < 3_000; n++) {
    await budgets.spend(owner, 'writes')
    at.pass(30)
  }
  const rows = await at.sql<{ entries: number }[]>`
    select cardinality(uses) as entries from budgets where key_id = ${owner.keyId}`
  for (const { entries } of rows) expect(entries).toBeLessThan(250)
})

test('keys that have been quiet for a window are forgotten, and there is a bound', async () => {
  const owner = await at.key()
  let away = true
  const budgets = at.instance({ sql: awayWhile(() => away) })
  for (let n = 0; n < 20_100; n++) await budgets.spend({ ...owner, keyId: `key ${n}` }, 'reads')
  expect(budgets.size()).toBe(20_000)
  away = false
  at.pass(30_000)
  await budgets.spend(owner, 'reads')
  at.pass(30_000)
  await budgets.settle()
  expect(budgets.size()).toBe(1)
  expect(await budgets.left(owner)).toEqual({ reads: 119, writes: 30 })
})

test('rows that nobody has touched for as long are removed', async () => {
  const owner = await at.key()
  const budgets = at.instance()
  await budgets.spend(owner, 'reads')
  await pruneBudgets(at.sql, 3_600_000)
  expect(await budgets.left(owner)).toEqual({ reads: 119, writes: 30 })
  expect(await pruneBudgets(at.sql, 0)).toBeGreaterThan(0)
  expect(await budgets.left(owner)).toEqual({ reads: 120, writes: 30 })
})

test('an account has a ceiling over all its keys, which every instance counts', async () => {
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
  // as much as ten keys, whatever blocks either of the two has at hand
  expect(allowed).toBeLessThanOrEqual(300)
  expect(allowed).toBeGreaterThanOrEqual(250)
  const fresh = { ...(await at.anotherKey(first.accountId, 'one more')), manyKeys: true }
  const refused = await one.spend(fresh, 'writes')
  expect(refused).toMatchObject({ allowed: false, ofAccount: true })
  expect(refused.policy).toBe('"writes";q=300;w=60')
  expect(await one.left(fresh)).toMatchObject({ reads: 120, writes: 0 })
  const other = { ...(await at.key()), manyKeys: true }
  expect((await one.spend(other, 'writes')).allowed).toBe(true)
  // an account with few keys is not counted: it cannot reach the ceiling
  expect((await one.spend(first, 'writes')).allowed).toBe(true)
})
