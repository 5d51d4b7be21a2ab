import type { IncidentStatus } from '@probe-mesh/contracts/incident/incident'
import type { Span } from '../events/surroundings.ts'
import type { Connection } from '@probe-mesh/control-plane/src/stores/postgres/connect'

export type FailureRecord = {
  checkId: string
  checkName: string
  status: 'down' | 'degraded'
  reason: string | null
  sinceMs: number
  untilMs: number | null
}

/**
 * Failures of an account's checks (down or degraded) that overlap a span, newest first. Reads only the flips
 * of the span and the last one before it.
 */
export const findFailures = async (
  db: Connection,
  accountId: string,
  { sinceMs, untilMs }: Span,
  limit: number,
): Promise<FailureRecord[]> => {
  const [since, until] = [new Date(sinceMs), new Date(untilMs)]
  const rows = await db<
    {
      check_id: string
      name: string
      to_status: 'down' | 'degraded'
      reason: string | null
      at: Date
      ended_at: Date | null
    }[]
  >`
    select checks.id as check_id, checks.name, bad.to_status, bad.reason, bad.at,
      (select next.at from flips next
        where next.check_id = checks.id and next.version > bad.version
        order by next.version limit 1) as ended_at
    from checks cross join lateral (
      (select version, to_status, reason, at from flips
        where check_id = checks.id and at <= ${since} order by at desc, version desc limit 1)
      union all
      (select version, to_status, reason, at from flips
        where check_id = checks.id and at > ${since} and at <= ${until})) as bad
    where checks.account_id = ${accountId} and bad.to_status in ('down', 'degraded')
    order by bad.at desc, checks.id limit ${limit}`
  return rows.map((row) => ({
    checkId: row.check_id,
    checkName: row.name,
    status: row.to_status,
    reason: row.reason,
    sinceMs: row.at.getTime(),
    untilMs: row.ended_at?.getTime() ?? null,
  }))
}

export type SurroundingIncident = {
  id: string
  title: string
  status: IncidentStatus
  startedAtMs: number
  resolvedAtMs: number | null
}

/** Incidents of an account that overlap a span, newest first. */
export const findIncidentsOf = async (
  db: Connection,
  accountId: string,
  { sinceMs, untilMs }: Span,
  limit: number,
): Promise<SurroundingIncident[]> => {
  const rows = await db<
    {
      id: string
      title: string
      status: IncidentStatus
      started_at: Date
      resolved_at: Date | null
    }[]
  >`
    select id, title, status, started_at, resolved_at from incidents
    where account_id = ${accountId} and started_at <= ${new Date(untilMs)}
      and (resolved_at is null or resolved_at >= ${new Date(sinceMs)})
    order by started_at desc, id desc limit ${limit}`
  return rows.map((row) => ({
    id: row.id,
    title: row.title,
    status: row.status,
    startedAtMs: row.started_at.getTime(),
    resolvedAtMs: row.resolved_at?.getTime() ?? null,
  }))
}
