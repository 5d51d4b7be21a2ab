import { uuidv7 } from '@probe-mesh/contracts/schema/ids'
import { useTestSql } from '@probe-mesh/infra/testing/postgres'
import { beforeEach, expect, test } from 'vitest'
import { findNewestDoubts, keepDoubt } from './region-doubts-store.ts'

const sql = useTestSql({ role: 'probe_mesh_system' })
beforeEach(() => sql`delete from region_doubts`)

const t0 = 1_700_000_000_000
const minute = 60_000
const day = 86_400_000
const shares = { named: [{ name: 'someone', hosts: 5 }], otherHosts: 1, distinct: 2 }
const doubt = (atMs: number, more: object = {}) => ({
  id: uuidv7(atMs),
  region: 'fra',
  why: 'unconfirmed' as const,
  atMs,
  hosts: 12,
  failing: 6,
  refused: 6,
  examples: ['a.example.com'],
  sources: { accounts: shares, domains: shares, networks: shares },
  ...more,
})

test('a lasting doubt is one row with its current evidence, and a later one another row', async () => {
  expect(await keepDoubt(sql, doubt(t0))).toBe(true)
  expect(await keepDoubt(sql, doubt(t0 + minute, { failing: 9 }))).toBe(false)
  expect(await keepDoubt(sql, doubt(t0 + minute, { why: 'majority' }))).toBe(true)
  expect(await keepDoubt(sql, doubt(t0 + 10 * minute))).toBe(true)
  const found = await findNewestDoubts(sql, 10)
  expect(found).toHaveLength(3)
  expect(found[0]).toMatchObject({ sinceAtMs: t0 + 10 * minute, why: 'unconfirmed' })
  expect(found).toContainEqual(
    expect.objectContaining({ sinceAtMs: t0, lastAtMs: t0 + minute, failing: 9, refused: 6 }),
  )
  expect(await findNewestDoubts(sql, 1)).toHaveLength(1)
})

test('deletes doubts after 90 days, and the oldest beyond a thousand', async () => {
  await keepDoubt(sql, doubt(t0))
  await keepDoubt(sql, doubt(t0 + 91 * day))
  expect(await findNewestDoubts(sql, 10)).toHaveLength(1)
  await sql`
    insert into region_doubts (id, region, why, since, last_at, hosts, failing, evidence)
    select gen_random_uuid(), 'nrt', 'majority', now(), now(), 1, 1, '{}'
    from generate_series(1, 1100)`
  await keepDoubt(sql, doubt(Date.now() + minute))
  const [row] = await sql<{ count: number }[]>`select count(*)::integer as count from region_doubts`
  expect(row?.count).toBeLessThanOrEqual(1_001)
})
