import type { BatchChanges } from '../events/batch-changes.ts'
import type { ReachedQuota } from '../events/quota.ts'
import type { Sql, Transaction } from '@probe-mesh/control-plane/src/stores/postgres/connect'
import { isErrorLeaseHeld, type ErrorBatch, type Watermark } from './error-batches-store.ts'
import { insertErrorNotices } from '../alert/error-notices-store.ts'
import { lockAccountsOf, recordReachedQuotas, type QuotaOptions } from '../projects/error-quotas-store.ts'
import type { Lease } from '@probe-mesh/control-plane/src/stores/leases/leases-store'
import { Rehearsed } from '@probe-mesh/control-plane/src/stores/postgres/rejected'
import { transact } from '@probe-mesh/control-plane/src/stores/postgres/transact'

/**
 * Writes the changes of a batch, deletes its record and moves the partition's watermark, in one transaction,
 * so that each event counts once despite crashes. Changes of deleted projects are skipped, and their
 * occurrences are purged again. Also queues the quota mails of reached thresholds.
 * @param isRehearsal only tests whether Postgres accepts the changes; writes nothing
 * @returns the reached quota thresholds; null if the lease is lost, and then nothing is written
 * @throws Rehearsed after a successful rehearsal
 */
export const finishErrorBatch = (
  sql: Sql,
  lease: Lease,
  { token, last, lastStoredAtMs, partition, createdAtMs }: ErrorBatch,
  changes: BatchChanges,
  options: QuotaOptions,
  isRehearsal = false,
): Promise<ReachedQuota[] | null> =>
  transact(sql, async (tx) => {
    if (!(await isErrorLeaseHeld(tx, lease))) return null
    const { count } = await tx`delete from error_batches where token = ${token}`
    // only the owner of the lease deletes records, so a missing record is counted already
    if (count === 0) return []
    const quotaCounts = changes.counts.filter(({ outcome }) => quotaOutcomes.has(outcome))
    // accounts before projects, in the same order as `recordErrorBatch`, to avoid deadlocks
    const accounts = await lockAccountsOf(
      tx,
      quotaCounts.map(({ projectId }) => projectId),
    )
    const existing = await lockProjects(tx, changes)
    await writeReleases(tx, changes, existing)
    const changedIssues = await writeIssues(tx, changes, existing)
    await insertErrorNotices(tx, noticesOf(changedIssues, changes, existing), createdAtMs)
    await writeCounts(tx, changes, existing)
    await writeReports(tx, changes, existing)
    await moveWatermark(tx, partition, { sequence: last, storedAtMs: lastStoredAtMs })
    const reached = await recordReachedQuotas(
      tx,
      accounts,
      monthsOf(withAccount(quotaCounts, existing)),
      options,
    )
    if (isRehearsal) throw new Rehearsed()
    return reached
  })

/** Outcomes that can reach a quota threshold. `quota` is included for an account that was downgraded. */
const quotaOutcomes: ReadonlySet<string> = new Set(['stored', 'quota'])

const monthsOf = (rows: readonly { accountId: string; month: string }[]) => [
  ...new Map(rows.map(({ accountId, month }) => [`${accountId} ${month}`, { accountId, month }])).values(),
]

/** Account ids by project id. The projects are locked until the transaction ends. */
type ExistingProjects = ReadonlyMap<string, string>

const lockProjects = async (tx: Transaction, changes: BatchChanges): Promise<ExistingProjects> => {
  const all = [changes.counts, changes.reports, changes.unsupported].flat()
  const ids = [...new Set(all.map(({ projectId }) => projectId))]
  const rows = await tx<{ id: string; account_id: string }[]>`
    select id, account_id from error_projects where id = any(${ids}::uuid[])
    order by id for key share`
  const existing = new Map(rows.map((row) => [row.id, row.account_id]))
  const deleted = ids.filter((id) => !existing.has(id))
  if (deleted.length > 0) {
    await tx`
      update deleted_error_projects set purged_at = null where project_id = any(${deleted}::uuid[])`
  }
  return existing
}

/** Rows of existing projects, each with its account. */
const withAccount = <Row extends { projectId: string }>(rows: readonly Row[], existing: ExistingProjects) =>
  rows.flatMap((row) => {
    const accountId = existing.get(row.projectId)
    return accountId === undefined ? [] : [{ ...row, accountId }]
  })

const instants = <Row extends object>(rows: readonly Row[], names: readonly (keyof Row)[]) =>
  rows.map((row) => ({
    ...row,
    ...Object.fromEntries(names.map((name) => [name, new Date(Number(row[name])).toISOString()])),
  }))

/** Runs before `writeIssues`, which reads the known releases. */
const writeReleases = async (
  tx: Transaction,
  { projectReleases }: BatchChanges,
  existing: ExistingProjects,
): Promise<void> => {
  const rows = instants(withAccount(projectReleases, existing), ['firstSeenMs'])
  if (rows.length === 0) return
  await tx`
    insert into error_project_releases (project_id, release, account_id, first_seen)
    select r."projectId", r.release, r."accountId", r."firstSeenMs"
    from jsonb_to_recordset(${tx.json(rows)})
      as r ("projectId" uuid, release text, "accountId" uuid, "firstSeenMs" timestamptz)
    on conflict do nothing`
}

const writeIssues = async (
  tx: Transaction,
  { issues, issueReleases }: BatchChanges,
  existing: ExistingProjects,
): Promise<ChangedIssues> => {
  const rows = instants(withAccount(issues, existing), ['firstSeenMs', 'lastSeenMs'])
  if (rows.length === 0) return { created: new Set(), reopened: new Set() }
  const releases = withAccount(issueReleases, existing)
  const written = await tx<{ id: string; is_new: boolean }[]>`
    insert into error_issues as known (id, account_id, project_id, fingerprint, fingerprint_version,
      title, culprit, status, occurrences, first_seen, last_seen)
    select i.id, i."accountId", i."projectId", decode(i.hash, 'hex'), i.version, i.title, i.culprit,
      'unresolved', i.occurrences, i."firstSeenMs", i."lastSeenMs"
    from jsonb_to_recordset(${tx.json(rows)}) as i (id uuid, "accountId" uuid, "projectId" uuid,
      hash text, version integer, title text, culprit text, occurrences bigint,
      "firstSeenMs" timestamptz, "lastSeenMs" timestamptz)
    on conflict (project_id, fingerprint_version, fingerprint) do update set
      title = case when excluded.last_seen < known.last_seen then known.title else excluded.title end,
      culprit = case when excluded.last_seen < known.last_seen then known.culprit
        else excluded.culprit end,
      occurrences = known.occurrences + excluded.occurrences,
      first_seen = least(known.first_seen, excluded.first_seen),
      last_seen = greatest(known.last_seen, excluded.last_seen)
    -- an inserted row has no xmax, an updated one has
    returning id, xmax = 0 as is_new`
  const reopened = await reopenIssues(tx, rows, releases)
  const created = new Set(written.flatMap((row) => (row.is_new ? row.id : [])))
  if (releases.length === 0) return { created, reopened }
  await tx`
    insert into error_issue_releases as known (issue_id, release, account_id, occurrences)
    select r."issueId", r.release, r."accountId", r.occurrences
    from jsonb_to_recordset(${tx.json(releases)})
      as r ("issueId" uuid, release text, "accountId" uuid, occurrences bigint)
    on conflict (issue_id, release) do update
      set occurrences = known.occurrences + excluded.occurrences`
  return { created, reopened }
}

/** Ids of issues that a batch created or reopened. */
type ChangedIssues = { created: ReadonlySet<string>; reopened: ReadonlySet<string> }

/** The most releases in a notice. */
const noticeReleasesMax = 3

const noticesOf = (
  { created, reopened }: ChangedIssues,
  { issues, issueReleases }: BatchChanges,
  existing: ExistingProjects,
) =>
  withAccount(issues, existing).flatMap(({ id, projectId, accountId, firstSeenMs, lastSeenMs }) => {
    const isNew = created.has(id)
    if (!isNew && !reopened.has(id)) return []
    const releases = issueReleases.flatMap((row) => (row.issueId === id ? row.release : []))
    return {
      kind: isNew ? ('new_issue' as const) : ('regression' as const),
      issueId: id,
      projectId,
      accountId,
      atMs: isNew ? firstSeenMs : lastSeenMs,
      releases: releases.slice(0, noticeReleasesMax),
    }
  })

/**
 * Reopens resolved issues that occur again. An issue that was resolved "in the next release" reopens only
 * with a release that was unknown at that time.
 * @returns the ids of reopened issues
 */
const reopenIssues = async (
  tx: Transaction,
  issues: readonly { id: string; lastSeenMs: unknown; release: string | null }[],
  releases: readonly { issueId: string; release: string }[],
): Promise<Set<string>> => {
  const rows = issues.map(({ id, lastSeenMs, release }) => ({
    id,
    at: lastSeenMs,
    release,
    releases: releases.flatMap(({ issueId, release }) => (issueId === id ? [release] : [])),
  }))
  const opened = await tx<{ id: string }[]>`
    update error_issues issue set status = 'unresolved', regressed_at = o.at,
      regressed_release = case when issue.resolved_in_next_release then (
          select seen.release from jsonb_array_elements_text(o.releases) as seen (release)
          where not exists (
            select from error_project_releases known
            where known.project_id = issue.project_id and known.release = seen.release
              and known.first_seen <= issue.resolved_at)
          limit 1)
        else o.release end,
      resolved_at = null, resolved_in_next_release = false
    from jsonb_to_recordset(${tx.json(rows as never)})
      as o (id uuid, at timestamptz, release text, releases jsonb)
    where issue.id = o.id and issue.status = 'resolved'
      and (issue.resolved_at is null or o.at > issue.resolved_at)
      and (not issue.resolved_in_next_release or exists (
        select from jsonb_array_elements_text(o.releases) as seen (release)
        where not exists (
          select from error_project_releases known
          where known.project_id = issue.project_id and known.release = seen.release
            and known.first_seen <= issue.resolved_at)))
    returning issue.id`
  return new Set(opened.map(({ id }) => id))
}

const writeCounts = async (
  tx: Transaction,
  { counts }: BatchChanges,
  existing: ExistingProjects,
): Promise<void> => {
  const rows = withAccount(counts, existing)
  if (rows.length === 0) return
  await tx`
    insert into error_counts as known (project_id, month, outcome, account_id, events)
    select c."projectId", c.month, c.outcome, c."accountId", c.events
    from jsonb_to_recordset(${tx.json(rows)}) as c ("projectId" uuid, month date, outcome text,
      "accountId" uuid, events bigint)
    on conflict (project_id, month, outcome) do update set events = known.events + excluded.events`
}

const writeReports = async (
  tx: Transaction,
  changes: BatchChanges,
  existing: ExistingProjects,
): Promise<void> => {
  const reports = withAccount(changes.reports, existing)
  if (reports.length > 0) {
    await tx`
      insert into error_client_reports as known (project_id, month, category, reason, account_id, quantity)
      select r."projectId", r.month, r.category, r.reason, r."accountId", r.quantity
      from jsonb_to_recordset(${tx.json(reports)}) as r ("projectId" uuid, month date,
        category text, reason text, "accountId" uuid, quantity bigint)
      on conflict (project_id, month, category, reason) do update
        set quantity = known.quantity + excluded.quantity`
  }
  const items = withAccount(changes.unsupported, existing)
  if (items.length > 0) {
    await tx`
      insert into error_unsupported_items as known (project_id, month, type, account_id, items)
      select u."projectId", u.month, u.type, u."accountId", u.items
      from jsonb_to_recordset(${tx.json(items)}) as u ("projectId" uuid, month date, type text,
        "accountId" uuid, items bigint)
      on conflict (project_id, month, type) do update set items = known.items + excluded.items`
  }
}

const moveWatermark = async (
  tx: Transaction,
  partition: number,
  { sequence, storedAtMs }: Watermark,
): Promise<void> => {
  await tx`
    insert into error_watermarks (partition, sequence, stored_at_ms)
    values (${partition}, ${sequence}, ${storedAtMs})
    on conflict (partition) do update set sequence = excluded.sequence,
      stored_at_ms = excluded.stored_at_ms`
}
