import type { BurnWindow } from '@probe-mesh/contracts/objective/objective'
import type { BurnAlert } from './objectives-store.ts'
import type { Sql, Transaction } from '../stores/postgres/connect.ts'
import { epochMs } from '../stores/postgres/epoch-ms.ts'

/** From now on the objectives of the account are judged. */
export const watchBurns = async (tx: Transaction, accountId: string): Promise<void> => {
  await tx`
    insert into burn_looks (account_id, looked_at, judged_at) values (${accountId}, 'epoch', 'epoch')
    on conflict do nothing`
}

/**
 * Takes the account that waits longest among those that were not looked at since an instant; null: none is due.
 * One that is lost with its control plane is due again a minute later.
 */
export const claimBurnLook = async (
  sql: Sql,
  { nowMs, beforeMs }: { nowMs: number; beforeMs: number },
): Promise<string | null> => {
  const [row] = await sql<{ accountId: string }[]>`
    update burn_looks set looked_at = ${new Date(nowMs)} where account_id = (
      select account_id from burn_looks where looked_at <= ${new Date(beforeMs)}
      order by looked_at, account_id limit 1 for update skip locked)
    returning account_id as "accountId"`
  return row?.accountId ?? null
}

/** Excludes other control planes from the alerts of the account. @returns null: they are not judged any more */
export const lockBurnLook = async (
  tx: Transaction,
  accountId: string,
): Promise<{ judgedAtMs: number } | null> => {
  const [row] = await tx<{ judgedAtMs: number }[]>`
    select ${epochMs(tx, 'judged_at')} as "judgedAtMs" from burn_looks
    where account_id = ${accountId} for update`
  return row ?? null
}

export const writeJudged = async (tx: Transaction, accountId: string, atMs: number): Promise<void> => {
  await tx`update burn_looks set judged_at = ${new Date(atMs)} where account_id = ${accountId}`
}

/** No objective of the account has a rule or an open alert. */
export const unwatchBurns = async (tx: Transaction, accountId: string): Promise<void> => {
  await tx`delete from burn_looks where account_id = ${accountId}`
}

export const insertBurnAlert = async (
  tx: Transaction,
  alert: BurnAlert & { objectiveId: string; accountId: string },
): Promise<void> => {
  const { objectiveId, accountId, long, sinceMs, receivers } = alert
  await tx`
    insert into burn_alerts (objective_id, pair, account_id, since, receivers)
    values (${objectiveId}, ${long}, ${accountId}, ${new Date(sinceMs)}, ${receivers}::uuid[])`
}

export const endBurnAlert = async (tx: Transaction, objectiveId: string, long: BurnWindow): Promise<void> => {
  await tx`delete from burn_alerts where objective_id = ${objectiveId} and pair = ${long}`
}

/** All alerts of an objective. */
export const endBurnAlerts = async (tx: Transaction, objectiveId: string): Promise<void> => {
  await tx`delete from burn_alerts where objective_id = ${objectiveId}`
}
