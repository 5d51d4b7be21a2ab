import type { Region } from '@probe-mesh/contracts/reading/regions'
import { toCheckRecord } from '../check-record/checks-store.ts'
import type { CheckRecord } from '../check-record/check-record.ts'
import type { CheckRow } from '../check-record/checks-store.ts'
import type { Connection, Sql } from '../stores/postgres/connect.ts'
import { beginManyChecks, openRevisions } from '../check-record/many-checks-store.ts'
import { transact } from '../stores/postgres/transact.ts'

/** Every check that agents are to run, of every account. */
export const findAssignableChecks = async (sql: Connection): Promise<CheckRecord[]> => {
  const rows = await sql<CheckRow[]>`
    select * from checks where not paused and type <> 'heartbeat'`
  return rows.map(toCheckRecord)
}

/** A check by id alone: for loops, which act for every account. */
export const findCheckOfAnyAccount = async (
  sql: Connection,
  checkId: string,
): Promise<CheckRecord | null> => {
  const [row] = await sql<CheckRow[]>`select * from checks where id = ${checkId}`
  return row === undefined ? null : toCheckRecord(row)
}

/**
 * Gives every check that is measured from all live regions a revision with the live regions of
 * now, after the operator has changed them. @returns how many checks changed
 */
export const refreshAllRegions = async (
  sql: Sql,
  liveRegions: readonly Region[],
  nowMs: number,
): Promise<number> => {
  const regions = [...liveRegions]
  const now = new Date(nowMs)
  return await transact(sql, async (tx) => {
    await beginManyChecks(tx)
    const changed = await tx<{ id: string }[]>`
      update checks set regions = ${regions}, revision = revision + 1, valid_from = greatest(valid_from, ${now}),
        updated_at = ${now}
      where all_regions and not (regions @> ${regions} and regions <@ ${regions})
      returning id`
    const ids = changed.map((row) => row.id)
    await openRevisions(tx, ids)
    return ids.length
  })
}
