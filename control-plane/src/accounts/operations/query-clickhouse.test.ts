import { requestPools } from '@probe-mesh/contracts/api/request-pools'
import { useTestClickHouse } from '@probe-mesh/infra/testing/clickhouse'
import { createFairPool } from '@probe-mesh/runtime/fair-pool'
import pino from 'pino'
import { expect, test, vi } from 'vitest'
import { shareStore } from '@probe-mesh/runtime/account-turns'
import { boundedQueries } from '../../stores/request-shares.ts'
import { queryClickHouse } from './query-clickhouse.ts'

const server = useTestClickHouse()
const clickhouse = server.use()

const log = pino({ level: 'silent' })
const { bounds, workMsMax: queryMsMax } = requestPools.clickhouseQueries
/** A database whose queries accounts share. */
const sharedStore = (waitMsMax: number) => {
  const store = boundedQueries(clickhouse, queryMsMax)
  const pool = createFairPool(bounds)
  shareStore(store, { pool, waitMsMax })
  return { context: { clickhouse: store, log }, pool }
}

test('the server ends a query of an account after ten seconds', async () => {
  const { context } = sharedStore(60_000)
  const result = await queryClickHouse(context, 'a', () =>
    context.clickhouse.query({
      query: `select toString(getSetting('max_execution_time')) as value`,
      format: 'JSONEachRow',
    }),
  )
  if ('refused' in result) throw new Error(result.message)
  expect(await result.json()).toEqual([{ value: '10' }])
})

test.each([2, 50])('queries of %i accounts leave the next place to a new account', async (others) => {
  const { context, pool } = sharedStore(60_000)
  const order: string[] = []
  const ends: (() => void)[] = []
  const ask = (account: string) =>
    queryClickHouse(context, account, () => {
      order.push(account)
      return new Promise<string>((resolve) => ends.push(() => resolve('rows')))
    })
  const floods = Array.from({ length: others }, (_, n) => `flood ${n}`).flatMap((account) =>
    Array.from({ length: 5 }, () => ask(account)),
  )
  await vi.waitFor(() => expect(pool.taken).toBe(bounds.places))
  const victim = ask('victim')
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
  expect(await victim).toBe('rows')
  await Promise.all(floods)
})

test('an account that waits too long for its turn gets SV-9002 with Retry-After', async () => {
  const { context } = sharedStore(1)
  const held = Promise.withResolvers<string>()
  const floods = Array.from({ length: bounds.places }, (_, n) =>
    queryClickHouse(context, `flood ${n}`, () => held.promise),
  )
  expect(await queryClickHouse(context, 'victim', async () => 'rows')).toMatchObject({
    refused: 'SV-9002',
    retryAfterSeconds: 5,
  })
  held.resolve('rows')
  await Promise.all(floods)
})
