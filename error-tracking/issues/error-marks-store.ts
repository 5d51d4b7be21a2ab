import type { IssueMark, ReleaseMark } from '../contracts/error-marks.ts'
import type { Span } from '../events/surroundings.ts'
import type { Connection } from '@probe-mesh/control-plane/src/stores/postgres/connect'

/** Releases of an account's projects that were first seen in a span, newest first. */
export const findReleaseMarks = async (
  db: Connection,
  accountId: string,
  { sinceMs, untilMs }: Span,
  limit: number,
): Promise<ReleaseMark[]> => {
  const rows = await db<{ project_id: string; name: string; release: string; first_seen: Date }[]>`
    select project_id, project.name, release, first_seen
    from error_project_releases releases join error_projects project on project.id = project_id
    where releases.account_id = ${accountId}
      and first_seen >= ${new Date(sinceMs)} and first_seen <= ${new Date(untilMs)}
    order by first_seen desc, project_id, release limit ${limit}`
  return rows.map((row) => ({
    projectId: row.project_id,
    projectName: row.name,
    release: row.release,
    firstSeen: row.first_seen.toISOString(),
  }))
}

/**
 * New issues, regressions and spikes of an account in any of these spans, newest first.
 */
export const findIssueMarks = async (
  db: Connection,
  accountId: string,
  spans: readonly Span[],
  limit: number,
): Promise<IssueMark[]> => {
  if (spans.length === 0) return []
  const times = spans.map(({ sinceMs, untilMs }) => ({
    since: new Date(sinceMs).toISOString(),
    until: new Date(untilMs).toISOString(),
  }))
  const rows = await db<
    {
      kind: IssueMark['kind']
      project_id: string
      name: string
      issue_id: string | null
      title: string | null
      at: Date
    }[]
  >`
    with span as materialized (
      select since, until
      from jsonb_to_recordset(${db.json(times)}) as s (since timestamptz, until timestamptz)
    ),
    begun as (
      (select 'new_issue' as kind, project_id, id as issue_id, title, first_seen as at
        from span join error_issues on account_id = ${accountId}
          and first_seen >= since and first_seen <= until
        order by first_seen desc limit ${limit})
      union all
      (select 'regression', project_id, id, title, regressed_at
        from span join error_issues on account_id = ${accountId}
          and regressed_at >= since and regressed_at <= until
        order by regressed_at desc limit ${limit})
      union all
      -- two rules may have found the same spike
      (select distinct on (coalesce(spike.issue_id, spike.project_id), began_at) 'spike',
          spike.project_id, spike.issue_id, issue.title, began_at
        from span join error_spikes spike on spike.account_id = ${accountId}
            and began_at >= since and began_at <= until
          left join error_issues issue on issue.id = spike.issue_id
        order by coalesce(spike.issue_id, spike.project_id), began_at desc)
    )
    select kind, project_id, project.name, issue_id, title, at
    from begun join error_projects project on project.id = project_id
    order by at desc, issue_id, kind limit ${limit}`
  return rows.map((row) => ({
    kind: row.kind,
    projectId: row.project_id,
    projectName: row.name,
    issueId: row.issue_id,
    title: row.title,
    at: row.at.toISOString(),
  }))
}

/**
 * The times within a span when a check was down or degraded, newest first. Reads only the flips of the span
 * and the last one before it.
 */
export const findFailedSpans = async (
  db: Connection,
  { accountId, checkId }: { accountId: string; checkId: string },
  { sinceMs, untilMs }: Span,
  limit: number,
): Promise<Span[]> => {
  const [since, until] = [new Date(sinceMs), new Date(untilMs)]
  const rows = await db<{ since: Date; until: Date }[]>`
    select greatest(bad.at, ${since}::timestamptz) as since,
      least(coalesce((select next.at from flips next
        where next.check_id = bad.check_id and next.version > bad.version
        order by next.version limit 1), ${until}::timestamptz), ${until}::timestamptz) as until
    from (
      (select check_id, version, to_status, at from flips
        where check_id = ${checkId} and at <= ${since} order by at desc, version desc limit 1)
      union all
      (select check_id, version, to_status, at from flips
        where check_id = ${checkId} and at > ${since} and at <= ${until})
    ) as bad
    where bad.to_status in ('down', 'degraded')
      and exists (select from checks where id = ${checkId} and account_id = ${accountId})
    order by bad.at desc limit ${limit}`
  return rows.map((row) => ({ sinceMs: row.since.getTime(), untilMs: row.until.getTime() }))
}
