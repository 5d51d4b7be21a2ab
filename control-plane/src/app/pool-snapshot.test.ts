import pino from 'pino'
import { useTestSql } from '@probe-mesh/infra/testing/postgres'
import { createFairPool } from '@probe-mesh/runtime/fair-pool'
import { createPoolMetrics } from '@probe-mesh/runtime/pool-metrics'
import { Registry } from 'prom-client'
import { expect, test } from 'vitest'
import { poolShares, snapshotRowsMax, startPoolSnapshot, findPoolShares } from './pool-snapshot.ts'

const sql = useTestSql({ role: 'probe_mesh_system' })

const bounds = { places: 100_000, placesOfOwner: 5, waiting: 0, waitingOfOwner: 0 }
/** A process with two pools. */
const aProcess = () => {
  const metrics = createPoolMetrics(new Registry())
  const [runs, pages] = [createFairPool(bounds), createFairPool(bounds)]
  metrics.watch('runs', runs)
  metrics.watch('pages', pages)
  const log = pino({ level: 'silent' })
  const snapshot = startPoolSnapshot({ sql, pools: metrics.pools, log })
  return { runs, pages, pools: metrics.pools, snapshot }
}

test('shows the use of each pool by owner over all processes, while there is any', async () => {
  const [one, two] = [aProcess(), aProcess()]
  const place = one.runs.takeNow('large')
  one.runs.takeNow('large')
  one.runs.takeNow('small')
  two.runs.takeNow('large')
  two.pages.takeNow('small')
  await Promise.all([one.snapshot.write(), two.snapshot.write()])
  const rows = async () => (await findPoolShares(sql)).map((row) => [row.pool, row.owner, row.taken])
  expect(await rows()).toEqual([
    ['pages', 'small', 1],
    ['runs', 'large', 3],
    ['runs', 'small', 1],
  ])
  place?.release()
  await one.snapshot.write()
  expect(await rows()).toContainEqual(['runs', 'large', 2])
  await sql`update pool_shares set written_at = now() - interval '1 minute' where pool = 'pages'`
  expect(await rows()).not.toContainEqual(['pages', 'small', 1])
  await one.snapshot.write()
  expect(await sql`select from pool_shares where pool = 'pages'`).toHaveLength(0)
  await Promise.all([one.snapshot.close(), two.snapshot.close()])
})

test('a process writes a limited number of rows, the largest of each pool', async () => {
  const { runs, pages, pools, snapshot } = aProcess()
  for (let n = 0; n < 5_000; n++) runs.takeNow(`account ${n}`)
  for (let n = 0; n < 2; n++) pages.takeNow('large')
  pages.takeNow('small')
  const shares = poolShares(pools)
  expect(shares.length).toBeLessThanOrEqual(snapshotRowsMax)
  expect(shares).toContainEqual({ pool: 'pages', owner: 'large', taken: 2, waiting: 0 })
  await snapshot.close()
})
