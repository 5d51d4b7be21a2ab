import { uuidv7 } from '@probe-mesh/contracts/schema/ids'
import type { Sql } from '../../stores/postgres/connect.ts'
import { watchBurns } from '../burn-alerts-store.ts'
import { writeObjective, type ObjectiveRecord } from '../objectives-store.ts'

/** An objective of 30 days of a check, whose burns are judged. @returns its id */
export const insertObjective = async (
  sql: Sql,
  objective: Pick<ObjectiveRecord, 'accountId' | 'name' | 'target' | 'checkId'> & Partial<ObjectiveRecord>,
): Promise<string> => {
  const id = uuidv7(Date.now())
  await sql.begin(async (tx) => {
    const more = { windowDays: 30, tag: null, latencyMsMax: null, alertRuleId: null } as const
    await writeObjective(tx, { ...more, ...objective, id }, Date.now())
    await watchBurns(tx, objective.accountId)
  })
  return id
}

/** Checks that exist and are due since an instant, once a minute in one region. */
export const insertHistories = async (
  sql: Sql,
  checkIds: readonly string[],
  sinceMs: number,
  intervalSeconds = 60,
): Promise<void> => {
  await sql`
    insert into check_revisions (check_id, revision, valid_from, regions, interval_seconds, paused)
    select id, 1, ${new Date(sinceMs)}, '{fra}', ${intervalSeconds}, false from unnest(${[...checkIds]}::uuid[]) as id`
}
