import { uuidv7 } from '@probe-mesh/contracts/schema/ids'
import type { OpenSpike } from './spike.ts'
import type { Connection, Transaction } from '@probe-mesh/control-plane/src/stores/postgres/connect'

/** The subject of a spike: an issue, or a whole project with null. */
export type SpikeSubject = { projectId: string; issueId: string | null }

export type OpenSpikeRecord = OpenSpike & SpikeSubject & { id: string; isNotified: boolean }

/** Open spikes of a rule. The lock on the rule's state covers them. */
export const findOpenSpikes = async (tx: Transaction, ruleId: string): Promise<OpenSpikeRecord[]> => {
  const rows = await tx<
    {
      id: string
      project_id: string
      issue_id: string | null
      began_at: Date
      last_met_at: Date
      told: boolean
    }[]
  >`select id, project_id, issue_id, began_at, last_met_at, told from error_spikes
    where rule_id = ${ruleId} and ended_at is null order by began_at, id`
  return rows.map((row) => ({
    id: row.id,
    projectId: row.project_id,
    issueId: row.issue_id,
    beganAtMs: row.began_at.getTime(),
    lastMetAtMs: row.last_met_at.getTime(),
    isNotified: row.told,
  }))
}

export const insertSpike = async (
  tx: Transaction,
  spike: SpikeSubject & { accountId: string; ruleId: string; atMs: number; isNotified: boolean },
): Promise<void> => {
  const at = new Date(spike.atMs)
  await tx`
    insert into error_spikes (id, account_id, rule_id, project_id, issue_id, began_at, last_met_at, told)
    values (${uuidv7(spike.atMs)}, ${spike.accountId}, ${spike.ruleId}, ${spike.projectId},
      ${spike.issueId}, ${at}, ${at}, ${spike.isNotified})`
}

export const extendSpikes = async (tx: Transaction, ids: readonly string[], atMs: number): Promise<void> => {
  if (ids.length === 0) return
  await tx`
    update error_spikes set last_met_at = ${new Date(atMs)} where id = any(${[...ids]}::uuid[])`
}

export const endSpike = async (tx: Transaction, id: string, atMs: number): Promise<void> => {
  await tx`update error_spikes set ended_at = ${new Date(atMs)} where id = ${id}`
}

/** Ends all open spikes of a rule, after a change of its criteria. */
export const closeSpikes = async (tx: Transaction, ruleId: string, nowMs: number): Promise<void> => {
  await tx`
    update error_spikes set ended_at = greatest(${new Date(nowMs)}, last_met_at + interval '1 ms')
    where rule_id = ${ruleId} and ended_at is null`
}

/** Deletes spikes that ended before an instant, at most `limit`. @returns the number of deleted spikes */
export const pruneSpikes = async (db: Connection, endedBeforeMs: number, limit: number): Promise<number> => {
  const { count } = await db`
    delete from error_spikes where id in (
      select id from error_spikes where ended_at < ${new Date(endedBeforeMs)}
      order by ended_at limit ${limit} for update skip locked)`
  return count
}

/**
 * The projects of a rule, with the creation time of each.
 * @param projectIds null: all projects of the account
 */
export const findCountedProjects = async (
  tx: Transaction,
  accountId: string,
  projectIds: readonly string[] | null,
): Promise<Map<string, number>> => {
  const rows = await tx<{ id: string; created_at: Date }[]>`
    select id, created_at from error_projects
    where account_id = ${accountId}
      and (${projectIds === null} or id = any(${[...(projectIds ?? [])]}::uuid[]))`
  return new Map(rows.map((row) => [row.id, row.created_at.getTime()]))
}

/** The first seen time of these issues. Ignored and deleted issues have no entry. */
export const findCountedIssues = async (
  tx: Transaction,
  issueIds: readonly string[],
): Promise<Map<string, number>> => {
  if (issueIds.length === 0) return new Map()
  const rows = await tx<{ id: string; first_seen: Date }[]>`
    select id, first_seen from error_issues
    where id = any(${[...issueIds]}::uuid[]) and status <> 'ignored'`
  return new Map(rows.map((row) => [row.id, row.first_seen.getTime()]))
}
