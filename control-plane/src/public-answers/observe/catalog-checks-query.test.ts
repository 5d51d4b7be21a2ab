import { randomUUID } from 'node:crypto'
import { createTestClickHouse } from '@probe-mesh/infra/testing/clickhouse'
import { expect, test } from 'vitest'
import { ofChecks, partsOfChecks } from './catalog-checks-query.ts'
import { connectClickHouse } from '../../stores/clickhouse/connect.ts'

const ids = Array.from({ length: 4_100 }, () => randomUUID())

test('the parts contain all checks, have limited sizes and follow the order of ClickHouse', async () => {
  const store = await createTestClickHouse()
  const clickhouse = connectClickHouse(store.url)
  try {
    const parts = partsOfChecks(ids)
    expect(parts.map((part) => part.length)).toEqual([1_000, 1_000, 1_000, 1_000, 100])
    const { condition, params } = ofChecks(ids)
    await clickhouse.command({ query: 'create table ids (check_id UUID) engine = Memory' })
    const rows = ids.map((id) => [id])
    await clickhouse.insert({ table: 'ids', values: rows, format: 'JSONCompactEachRow' })
    const result = await clickhouse.query({
      query: `select toString(check_id) as id from ids where ${condition} order by check_id`,
      query_params: params,
      format: 'JSONEachRow',
    })
    expect(parts.flat()).toEqual((await result.json<{ id: string }>()).map(({ id }) => id))
  } finally {
    await clickhouse.close()
    await store.close()
  }
})

test('each query parameter stays below the 128 KiB limit of ClickHouse', () => {
  const lengths = Object.values(ofChecks(ids).params).map((part) => JSON.stringify(part).length)
  expect(Math.max(...lengths)).toBeLessThan(128 * 1024)
})

test('an empty list of checks selects no rows', () => {
  expect([ofChecks([]), partsOfChecks([])]).toEqual([{ condition: 'false', params: {} }, []])
})
