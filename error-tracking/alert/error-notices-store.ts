import { z } from 'zod'
import type { ErrorRuleEvent } from '../contracts/error-rule.ts'
import type { NoticeSubject } from './error-message.ts'
import type { Connection, Transaction } from '@probe-mesh/control-plane/src/stores/postgres/connect'
import { insertOutbox } from '@probe-mesh/control-plane/src/stores/outbox-store'

/** An issue that a batch created or reopened. */
export type IssueNotice = {
  kind: Exclude<ErrorRuleEvent, 'spike'>
  issueId: string
  projectId: string
  atMs: number
  releases: string[]
}

/** The payload of an outbox row of kind `error`. */
const ErrorPayload = z.object({
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
 * Inserts notices into the outbox for the alerter, in the transaction that caused them. Skips notices without
 * an enabled rule of the account for their kind.
 */
export const insertErrorNotices = async (
  tx: Transaction,
  notices: readonly (IssueNotice & { accountId: string })[],
  nowMs: number,
): Promise<void> => {
  if (notices.length === 0) return
  const accounts = Map.groupBy(notices, ({ accountId }) => accountId)
  const rows = await tx<{ account_id: string; event: string }[]>`
    select distinct account_id, unnest(events) as event from error_rules
    where enabled and account_id = any(${[...accounts.keys()]}::uuid[])`
  const covered = new Set(rows.map((row) => `${row.account_id} ${row.event}`))
  for (const [accountId, ofAccount] of accounts) {
    const relevant = ofAccount.filter(({ kind }) => covered.has(`${accountId} ${kind}`))
    if (relevant.length === 0) continue
    const payload = {
      accountId,
      news: relevant.map(({ kind, issueId, projectId, atMs, releases }) => ({
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

/** The first pending outbox row of error notices without a lock, locked until the transaction ends. */
export const claimErrorNotices = async (
  tx: Transaction,
  nowMs: number,
): Promise<{ outboxId: string; accountId: string; notices: IssueNotice[] } | null> => {
  const [row] = await tx<{ id: string; payload: unknown }[]>`
    select id, payload from outbox
    where kind = 'error' and done_at is null and next_attempt_at <= ${new Date(nowMs)}
    order by sequence limit 1 for update skip locked`
  if (row === undefined) return null
  const { accountId, news: notices } = ErrorPayload.parse(row.payload)
  return { outboxId: row.id, accountId, notices }
}

type SubjectRow = {
  project_id: string
  project_name: string
  issue_id: string | null
  title: string | null
  culprit: string | null
  first_seen: Date | null
}

/** @returns a lookup of the project and issue of a notice; null if deleted */
export const findNoticeSubjects = async (
  db: Connection,
  named: readonly { projectId: string; issueId: string | null }[],
): Promise<(of: { projectId: string; issueId: string | null }) => NoticeSubject | null> => {
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

const toSubject = (row: SubjectRow): NoticeSubject => ({
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
