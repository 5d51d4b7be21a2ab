import { z } from 'zod'
import type { ErrorRuleEvent } from '@probe-mesh/contracts/error-tracking/error-rule'
import type { NewsSubject } from './error-message.ts'
import type { Connection, Transaction } from '../../stores/postgres/connect.ts'
import { insertOutbox } from '../../stores/outbox-store.ts'

/** What becomes of an issue in a batch: it is new, or came back after it was resolved. */
export type IssueNews = {
  kind: Exclude<ErrorRuleEvent, 'spike'>
  issueId: string
  projectId: string
  atMs: number
  releases: string[]
}

const ErrorCall = z.object({
  accountId: z.uuid(),
  news: z.array(
    z.object({
      kind: z.enum(['new_issue', 'regression']),
      issueId: z.uuid(),
      projectId: z.uuid(),
      atMs: z.number(),
      releases: z.array(z.string()),
    }),
  ),
})

/**
 * Writes news for whoever tells them, in the transaction of what caused them; those of accounts that
 * have no rule for their kind are nobody's to tell.
 */
export const insertErrorNews = async (
  tx: Transaction,
  news: readonly (IssueNews & { accountId: string })[],
  nowMs: number,
): Promise<void> => {
  if (news.length === 0) return
  const accounts = Map.groupBy(news, ({ accountId }) => accountId)
  const rows = await tx<{ account_id: string; event: string }[]>`
    select distinct account_id, unnest(events) as event from error_rules
    where enabled and account_id = any(${[...accounts.keys()]}::uuid[])`
  const asked = new Set(rows.map((row) => `${row.account_id} ${row.event}`))
  for (const [accountId, ofAccount] of accounts) {
    const told = ofAccount.filter(({ kind }) => asked.has(`${accountId} ${kind}`))
    if (told.length === 0) continue
    const payload = {
      accountId,
      news: told.map(({ kind, issueId, projectId, atMs, releases }) => ({
        kind,
        issueId,
        projectId,
        atMs,
        releases,
      })),
    }
    await insertOutbox(tx, 'error', payload, nowMs)
  }
}

/** The first open row of error news that nobody else has, locked until the transaction ends. */
export const claimErrorCall = async (
  tx: Transaction,
  nowMs: number,
): Promise<{ outboxId: string; accountId: string; news: IssueNews[] } | null> => {
  const [row] = await tx<{ id: string; payload: unknown }[]>`
    select id, payload from outbox
    where kind = 'error' and done_at is null and next_attempt_at <= ${new Date(nowMs)}
    order by sequence limit 1 for update skip locked`
  return row === undefined ? null : { outboxId: row.id, ...ErrorCall.parse(row.payload) }
}

type SubjectRow = {
  project_id: string
  project_name: string
  issue_id: string | null
  title: string | null
  culprit: string | null
  first_seen: Date | null
}

/** Projects and issues as they are spoken of, by id; what was deleted has no entry. */
export const findNewsSubjects = async (
  db: Connection,
  named: readonly { projectId: string; issueId: string | null }[],
): Promise<(of: { projectId: string; issueId: string | null }) => NewsSubject | null> => {
  const projectIds = [...new Set(named.map(({ projectId }) => projectId))]
  const issueIds = [...new Set(named.flatMap(({ issueId }) => issueId ?? []))]
  const rows = await db<SubjectRow[]>`
    select id as project_id, name as project_name, null::uuid as issue_id, null as title,
      null as culprit, null::timestamptz as first_seen
    from error_projects where id = any(${projectIds}::uuid[])
    union all
    select project.id, project.name, issue.id, issue.title, issue.culprit, issue.first_seen
    from error_issues issue join error_projects project on project.id = issue.project_id
    where issue.id = any(${issueIds}::uuid[])`
  const subjects = new Map(rows.map((row) => [row.issue_id ?? row.project_id, toSubject(row)] as const))
  return ({ projectId, issueId }) => subjects.get(issueId ?? projectId) ?? null
}

const toSubject = (row: SubjectRow): NewsSubject => ({
  projectId: row.project_id,
  projectName: row.project_name,
  issue:
    row.issue_id === null
      ? null
      : {
          id: row.issue_id,
          title: row.title ?? '',
          culprit: row.culprit,
          firstSeenMs: row.first_seen?.getTime() ?? 0,
        },
})
