import { randomBytes } from 'node:crypto'
import type { ErrorIssueStatus } from '@probe-mesh/error-tracking/contracts/error-tracking'
import { uuidv7 } from '@probe-mesh/contracts/schema/ids'
import { partitionOf, partitions } from '@probe-mesh/contracts/mesh/subjects'
import type { Sql } from './connect.ts'
import type { Lease } from '../leases/leases-store.ts'

/** Inserts an account and its check for a test of loops, like the operations do. */
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

/** Acquires the leases of all partitions for a test of loops, without locks. */
export const acquireTestLeases = async (sql: Sql): Promise<Lease[]> => {
  const rows = await sql<{ partition: number; epoch: string }[]>`
    update partition_leases set epoch = epoch + 1
    where partition = any(${[...partitions]}::smallint[]) returning partition, epoch`
  return rows.map(({ partition, epoch }) => ({ partition, epoch: Number(epoch) }))
}

/** An error project of an account. @returns its id */
export const insertTestErrorProject = async (
  sql: Sql,
  accountId: string,
  { name = 'web', createdAtMs = Date.now() }: { name?: string; createdAtMs?: number } = {},
): Promise<string> => {
  const id = uuidv7(createdAtMs)
  await sql`
    insert into error_projects (id, account_id, name, created_at)
    values (${id}, ${accountId}, ${name}, ${new Date(createdAtMs)})`
  await sql`
    insert into error_keys (id, account_id, project_id, public_key, created_at)
    values (${uuidv7(createdAtMs)}, ${accountId}, ${id}, ${randomBytes(16).toString('hex')},
      ${new Date(createdAtMs)})`
  return id
}

export type TestErrorIssue = {
  id: string
  title: string
  culprit: string | null
  status: ErrorIssueStatus
  occurrences: number
  firstSeenMs: number
  lastSeenMs: number
  releases: readonly { release: string; occurrences: number }[]
}

/** Inserts error issues of a project. @returns them with the defaults filled in */
export const insertTestErrorIssues = async (
  sql: Sql,
  { accountId, projectId }: { accountId: string; projectId: string },
  partial: readonly Partial<TestErrorIssue>[],
): Promise<TestErrorIssue[]> => {
  const issues = partial.map((issue) => {
    const lastSeenMs = issue.lastSeenMs ?? Date.now()
    return {
      id: uuidv7(lastSeenMs),
      title: 'TypeError: x is undefined',
      culprit: 'render(app.js)',
      status: 'unresolved' as const,
      occurrences: 1,
      firstSeenMs: lastSeenMs,
      lastSeenMs,
      releases: [],
      ...issue,
    }
  })
  for (const issue of issues) {
    await sql`
      insert into error_issues (id, account_id, project_id, fingerprint, fingerprint_version, title,
        culprit, status, occurrences, first_seen, last_seen)
      values (${issue.id}, ${accountId}, ${projectId}, ${randomBytes(32)}, 1, ${issue.title},
        ${issue.culprit}, ${issue.status}, ${issue.occurrences}, ${new Date(issue.firstSeenMs)},
        ${new Date(issue.lastSeenMs)})`
    for (const { release, occurrences } of issue.releases) {
      await sql`
        insert into error_issue_releases (issue_id, release, account_id, occurrences)
        values (${issue.id}, ${release}, ${accountId}, ${occurrences})`
    }
  }
  return issues
}
