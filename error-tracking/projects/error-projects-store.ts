import type { ErrorPlatform } from '../contracts/error-project.ts'
import type { ErrorOutcome } from '../events/batch-changes.ts'
import type { ErrorCounts, ErrorProjectRecord } from './project.ts'
import type { Connection, Transaction } from '@probe-mesh/control-plane/src/stores/postgres/connect'

type ProjectRow = {
  id: string
  account_id: string
  name: string
  number: string
  platform: ErrorPlatform
  public_key: string
  created_at: Date
}

const toProject = (row: ProjectRow): ErrorProjectRecord => ({
  id: row.id,
  accountId: row.account_id,
  name: row.name,
  number: row.number,
  platform: row.platform,
  publicKey: row.public_key,
  createdAtMs: row.created_at.getTime(),
})

const columns = (db: Connection) => db`
  id, account_id, name, number, platform, created_at,
  (select public_key from error_keys
    where error_keys.project_id = error_projects.id and revoked_at is null
    order by error_keys.created_at desc, error_keys.id desc limit 1) as public_key`

/** An account's error projects, oldest first. */
export const findErrorProjects = async (db: Connection, accountId: string): Promise<ErrorProjectRecord[]> => {
  const rows = await db<ProjectRow[]>`
    select ${columns(db)} from error_projects where account_id = ${accountId} order by created_at, id`
  return rows.map(toProject)
}

/** One error project of an account; null if missing or of another account. */
export const findErrorProject = async (
  db: Connection,
  accountId: string,
  projectId: string,
): Promise<ErrorProjectRecord | null> => {
  const [row] = await db<ProjectRow[]>`
    select ${columns(db)} from error_projects where id = ${projectId} and account_id = ${accountId}`
  return row === undefined ? null : toProject(row)
}

/**
 * Events of an account in one month, by project id and outcome. A project without events has no entry.
 * @param month in the format of `monthOf`
 */
export const findErrorCounts = async (
  db: Connection,
  accountId: string,
  month: string,
): Promise<Map<string, ErrorCounts>> => {
  const rows = await db<{ project_id: string; outcome: ErrorOutcome; events: string }[]>`
    select project_id, outcome, events from error_counts
    where account_id = ${accountId} and month = ${month}::date`
  const counts = new Map<string, Partial<Record<ErrorOutcome, number>>>()
  for (const { project_id: projectId, outcome, events } of rows) {
    counts.set(projectId, { ...counts.get(projectId), [outcome]: Number(events) })
  }
  return counts
}

/**
 * All events that an account ever received, stored or dropped, by project id. A project without events has no
 * entry.
 */
export const findReceivedEver = async (db: Connection, accountId: string): Promise<Map<string, number>> => {
  const rows = await db<{ project_id: string; events: string }[]>`
    select project_id, sum(events) as events from error_counts
    where account_id = ${accountId} group by project_id`
  return new Map(rows.map((row) => [row.project_id, Number(row.events)]))
}

/** Unresolved issues and the newest event of each project. A project without issues has no entry. */
export const findIssueActivity = async (
  db: Connection,
  accountId: string,
): Promise<Map<string, { openIssues: number; lastEventMs: number }>> => {
  const rows = await db<{ project_id: string; open: number; last_seen: Date }[]>`
    select project_id, (count(*) filter (where status = 'unresolved'))::integer as open,
      max(last_seen) as last_seen
    from error_issues where account_id = ${accountId} group by project_id`
  return new Map(
    rows.map((row) => [row.project_id, { openIssues: row.open, lastEventMs: row.last_seen.getTime() }]),
  )
}

/** Events of one month that deleted projects had stored. They still count towards the quota. */
export const findSpentByDeleted = async (
  db: Connection,
  accountId: string,
  month: string,
): Promise<number> => {
  const [row] = await db<{ events: string }[]>`
    select coalesce(sum(events), 0) as events from deleted_error_projects
    where account_id = ${accountId} and month = ${month}::date`
  return Number(row?.events ?? 0)
}

/** The database assigns the project's number. */
export const insertErrorProject = async (
  tx: Transaction,
  project: Pick<ErrorProjectRecord, 'id' | 'accountId' | 'name' | 'platform' | 'createdAtMs'>,
): Promise<void> => {
  await tx`
    insert into error_projects (id, account_id, name, platform, created_at)
    values (${project.id}, ${project.accountId}, ${project.name}, ${project.platform},
      ${new Date(project.createdAtMs)})`
}

/** Locks the project until the transaction ends; null if missing or of another account. */
export const lockErrorProject = async (
  tx: Transaction,
  accountId: string,
  projectId: string,
): Promise<ErrorProjectRecord | null> => {
  const [row] = await tx<ProjectRow[]>`
    select ${columns(tx)} from error_projects
    where id = ${projectId} and account_id = ${accountId} for update`
  return row === undefined ? null : toProject(row)
}

export const updateErrorProject = async (
  tx: Transaction,
  { id, name, platform }: Pick<ErrorProjectRecord, 'id' | 'name' | 'platform'>,
): Promise<void> => {
  await tx`
    update error_projects set name = ${name}, platform = ${platform} where id = ${id}`
}

/**
 * Deletes a project with its issues, keys and counters. Records its stored events of the month, and that its
 * occurrences have to be purged.
 */
export const deleteErrorProject = async (
  tx: Transaction,
  { id, accountId }: Pick<ErrorProjectRecord, 'id' | 'accountId'>,
  { month, nowMs }: { month: string; nowMs: number },
): Promise<void> => {
  await tx`
    insert into deleted_error_projects (project_id, account_id, deleted_at, month, events)
    values (${id}, ${accountId}, ${new Date(nowMs)}, ${month}::date,
      coalesce((select events from error_counts
        where project_id = ${id} and month = ${month}::date and outcome = 'stored'), 0))`
  await tx`delete from error_projects where id = ${id}`
}

/** Deleted error projects with occurrences that are not purged yet, oldest first. */
export const findUnpurgedProjects = async (
  sql: Connection,
  deletedBeforeMs: number,
  limit: number,
): Promise<string[]> => {
  const rows = await sql<{ project_id: string }[]>`
    select project_id from deleted_error_projects
    where purged_at is null and deleted_at < ${new Date(deletedBeforeMs)}
    order by deleted_at limit ${limit}`
  return rows.map((row) => row.project_id)
}

export const markProjectsPurged = async (
  sql: Connection,
  projectIds: readonly string[],
  nowMs: number,
): Promise<void> => {
  await sql`
    update deleted_error_projects set purged_at = ${new Date(nowMs)}
    where project_id = any(${[...projectIds]}::uuid[])`
}

/** Deletes event ids from before an instant, at most `limit`. @returns the number of deleted ids */
export const pruneErrorEventIds = async (
  sql: Connection,
  beforeMs: number,
  limit: number,
): Promise<number> => {
  const { count } = await sql`
    delete from error_event_ids where (project_id, event_id) in (
      select project_id, event_id from error_event_ids
      where seen_at < ${new Date(beforeMs)} limit ${limit})`
  return count
}
