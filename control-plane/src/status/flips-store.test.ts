import { useTestSql } from '@probe-mesh/infra/testing/postgres'
import { expect, test } from 'vitest'
import { findFlips, flipsMax } from './flips-store.ts'
import { insertTestCheck } from '../stores/postgres/testing.ts'

const sql = useTestSql({ connectionsMax: 1 })

const now = 1_700_000_000_000

/** A check with one flip before `now`, and this many after it, a second apart. */
const flipping = async (count: number): Promise<string> => {
  const checkId = await insertTestCheck(sql, { regions: ['fra'] })
  await sql`
    insert into flips (id, check_id, version, from_status, to_status, at)
    select gen_random_uuid(), ${checkId}, n + 1, 'unknown', 'operational',
      ${new Date(now)}::timestamptz + make_interval(secs => n - 1)
    from generate_series(0, ${count}::integer) n`
  return checkId
}

test('returns the last flip before the period first, unless too many follow', async () => {
  const all = await findFlips(sql, await flipping(3), now)
  expect(all.map(({ atMs }) => (atMs - now) / 1_000)).toEqual([-1, 0, 1, 2])
  expect(all[0]).toEqual({ from: 'unknown', to: 'operational', noneUp: false, atMs: now - 1_000 })
  const cut = await findFlips(sql, await flipping(flipsMax + 1), now)
  expect(cut).toHaveLength(flipsMax)
  expect(cut[0]?.atMs).toBe(now + 1_000)
})
