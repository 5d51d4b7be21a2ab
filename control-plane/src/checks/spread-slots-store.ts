import type { Region } from '@probe-mesh/contracts/reading/regions'
import type { Sql } from '../stores/postgres/connect.ts'
import { beginManyChecks, openRevisions } from '../check-record/many-checks-store.ts'
import { transact } from '../stores/postgres/transact.ts'

/** How long agents have to learn of the new slots: until then those of before are due, ms. */
const leadMs = 30_000
/** Revised at a time: the others have their turn a minute later. */
const respreadMax = 2_000

/** Notes in which regions every agent measures at a phase that it is given, and in which one does not. */
export const noteSpreadRegions = async (
  sql: Sql,
  { able, unable }: { able: readonly Region[]; unable: readonly Region[] },
  nowMs: number,
): Promise<void> => {
  await sql`delete from spread_regions where region = any(${[...unable]})`
  await sql`
    insert into spread_regions (region, since)
    select region, ${new Date(nowMs)} from unnest(${[...able]}::text[]) as able (region)
    on conflict do nothing`
}

/**
 * Gives checks whose slots are not where a revision made now would put them such a revision: those from
 * before their regions could spread them, and those of a region that has an older agent again.
 * @returns how many
 */
export const respreadChecks = async (sql: Sql, nowMs: number): Promise<number> => {
  const now = new Date(nowMs)
  return await transact(sql, async (tx) => {
    await beginManyChecks(tx)
    const changed = await tx<{ id: string }[]>`
      update checks set revision = revision + 1, valid_from = greatest(valid_from, ${new Date(nowMs + leadMs)})
      where id in (
        select checks.id from checks
        where not paused and type <> 'heartbeat' and cardinality(regions) > 1
          and (spread_revision is not distinct from revision) <> is_spread(regions, ${now})
        limit ${respreadMax})
      returning id`
    const ids = changed.map((row) => row.id)
    await openRevisions(tx, ids)
    return ids.length
  })
}
