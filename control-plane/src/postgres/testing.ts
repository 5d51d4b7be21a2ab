import { uuidv7 } from '@probe-mesh/contracts/ids'
import { partitionOf, partitions } from '@probe-mesh/contracts/partition'
import type { Sql } from './connect.ts'
import type { Lease } from './leases.ts'

/** An account and a check of its own for a test of the loops, written as the verbs would. */
export const insertTestCheck = async (
  sql: Sql,
  check: { regions: readonly string[]; allRegions?: boolean },
): Promise<string> => {
  const [accountId, id, now] = [uuidv7(Date.now()), uuidv7(Date.now()), new Date()]
  await sql.begin(async (tx) => {
    await tx`insert into accounts values (${accountId}, 'test', 'scale', ${now})`
    await tx`
      insert into checks (id, account_id, type, name, url, interval_seconds, regions, all_regions,
        valid_from, created_at, updated_at)
      values (${id}, ${accountId}, 'http', 'test', 'https://example.com/', 60,
        ${[...check.regions]}, ${check.allRegions ?? false}, ${now}, ${now}, ${now})`
    await tx`
      insert into check_revisions (check_id, revision, valid_from, regions, interval_seconds, paused)
      select id, revision, valid_from, regions, interval_seconds, paused from checks where id = ${id}`
    await tx`insert into check_states (check_id, partition) values (${id}, ${partitionOf(id)})`
  })
  return id
}

/** The leases of all partitions for a test of the loops: taken over from whoever had them, without locks. */
export const takeTestLeases = async (sql: Sql): Promise<Lease[]> => {
  const rows = await sql<{ partition: number; epoch: string }[]>`
    update partition_leases set epoch = epoch + 1
    where partition = any(${[...partitions]}::smallint[]) returning partition, epoch`
  return rows.map(({ partition, epoch }) => ({ partition, epoch: Number(epoch) }))
}
