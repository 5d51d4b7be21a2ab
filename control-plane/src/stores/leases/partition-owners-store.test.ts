import { randomUUID } from 'node:crypto'
import { partitions } from '@probe-mesh/contracts/mesh/subjects'
import { useTestDatabase } from '@probe-mesh/infra/testing/postgres'
import { afterAll, expect, test } from 'vitest'
import { connectLeaseSession, type Sql } from '../postgres/connect.ts'
import { registerHolder, silentSeconds, acquireLease, findPartitionOwners } from './leases-store.ts'

const sessions: Sql[] = []
const database = useTestDatabase()
const sql = database.use({ connectionsMax: 1 })
afterAll(async () => {
  await Promise.all([sql.end(), ...sessions.map((session) => session.end())])
})

/** A control plane with this age of its last renewal, and the locks of these partitions. */
const plane = async (silentFor: number, locked: readonly number[]): Promise<string> => {
  const session = connectLeaseSession(database.url)
  sessions.push(session)
  const id = randomUUID()
  await registerHolder(session, id)
  await sql`
    update control_planes set seen_at = clock_timestamp() - make_interval(secs => ${silentFor})
    where id = ${id}`
  for (const partition of locked) await acquireLease(session, partition, id)
  return id
}

test('shows the owner of a partition while that owner renews and holds the lock', async () => {
  const takenAt = new Date('2026-11-22T06:00:00Z')
  const [alive, silent] = [await plane(-60, [0, 1]), await plane(silentSeconds, [2])]
  // 0 and 1 have an owner; the owner of 2 is silent, that of 3 is deleted, that of 4 has no lock
  for (const [partition, holder] of [alive, alive, silent, randomUUID(), alive].entries()) {
    await sql`
      update partition_leases set holder = ${holder}, epoch = ${partition + 7}, taken_at = ${takenAt}
      where partition = ${partition}`
  }
  const owners = await findPartitionOwners(sql)
  const takenAtMs = takenAt.getTime()
  expect(owners.slice(0, 6)).toEqual([
    { partition: 0, owner: alive, epoch: 7, takenAtMs },
    { partition: 1, owner: alive, epoch: 8, takenAtMs },
    { partition: 2, owner: null, epoch: 9, takenAtMs: null },
    { partition: 3, owner: null, epoch: 10, takenAtMs: null },
    { partition: 4, owner: null, epoch: 11, takenAtMs: null },
    { partition: 5, owner: null, epoch: 0, takenAtMs: null },
  ])
  expect(owners.map(({ partition }) => partition)).toEqual([...partitions])
})
