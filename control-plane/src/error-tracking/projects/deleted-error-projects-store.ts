import type { Connection } from '../../stores/postgres/connect.ts'

/** Deleted error projects whose occurrences are still to be purged, oldest first. */
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

/** Forgets ids of events that came before an instant. @returns how many, `limit` at the most */
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
