import type { ErrorCounts, ErrorOutcome, ErrorProjectRecord } from '../error-tracking/project.ts'
import type { Connection } from './connect.ts'

type ProjectRow = {
  id: string
  account_id: string
  name: string
  number: string
  public_key: string
  created_at: Date
}

const toProject = (row: ProjectRow): ErrorProjectRecord => ({
  id: row.id,
  accountId: row.account_id,
  name: row.name,
  number: row.number,
  publicKey: row.public_key,
  createdAtMs: row.created_at.getTime(),
})

/** An account's error projects, oldest first. */
export const findErrorProjects = async (
  connection: Connection,
  accountId: string,
): Promise<ErrorProjectRecord[]> => {
  const rows = await connection<ProjectRow[]>`
    select * from error_projects where account_id = ${accountId} order by created_at, id`
  return rows.map(toProject)
}

/** One error project of an account. Another account's is null like a missing one. */
export const findErrorProject = async (
  connection: Connection,
  accountId: string,
  projectId: string,
): Promise<ErrorProjectRecord | null> => {
  const [row] = await connection<ProjectRow[]>`
    select * from error_projects where id = ${projectId} and account_id = ${accountId}`
  return row === undefined ? null : toProject(row)
}

/**
 * What became of an account's events of one month, by project id. A project without events has no
 * entry.
 * @param month as `monthOf` writes it
 */
export const findErrorCounts = async (
  connection: Connection,
  accountId: string,
  month: string,
): Promise<Map<string, ErrorCounts>> => {
  const rows = await connection<{ project_id: string; outcome: ErrorOutcome; events: string }[]>`
    select project_id, outcome, events from error_counts
    where account_id = ${accountId} and month = ${month}::date`
  const counts = new Map<string, Partial<Record<ErrorOutcome, number>>>()
  for (const { project_id: projectId, outcome, events } of rows) {
    counts.set(projectId, { ...counts.get(projectId), [outcome]: Number(events) })
  }
  return counts
}
