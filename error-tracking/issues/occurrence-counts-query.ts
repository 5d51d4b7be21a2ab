import type { ClickHouse } from '@probe-mesh/control-plane/src/stores/clickhouse/connect'

/** An instant as text for any time parameter, exact to the millisecond. */
const instant = (ms: number): string => (ms / 1000).toFixed(3)

/** The largest age of an event at its arrival. Older partitions need not be read. */
const eventAgeMsMax = 31 * 86_400_000

export type SpanCount = {
  projectId: string
  /** null: the whole project. */
  issueId: string | null
  span: number
  before: number
}

/**
 * Events that arrived in the span from `fromMs` to `untilMs` (exclusive), and between `dayFromMs` and the
 * span. One row for each project or issue with at least `eventsMin` in the span, most first.
 */
export const countSpan = async (
  clickhouse: ClickHouse,
  query: {
    projectIds: readonly string[]
    of: 'project' | 'issue'
    dayFromMs: number
    fromMs: number
    untilMs: number
    eventsMin: number
    limit: number
  },
  signal: AbortSignal,
): Promise<SpanCount[]> => {
  if (query.projectIds.length === 0) return []
  const issue = query.of === 'issue' ? 'issue_id' : 'null'
  const result = await clickhouse.query({
    query: `
      select project_id, ${issue} as issue, countIf(received_at >= {from:DateTime64(3, 'UTC')}) as span,
        countIf(received_at < {from:DateTime64(3, 'UTC')}) as before
      from error_occurrences
      where project_id in {projects:Array(UUID)} and at >= {oldest:DateTime64(3, 'UTC')}
        and received_at >= {dayFrom:DateTime64(3, 'UTC')}
        and received_at < {until:DateTime64(3, 'UTC')}
      group by project_id, issue
      having span >= {eventsMin:UInt32}
      order by span desc, project_id, issue limit {limit:UInt32}`,
    query_params: {
      projects: [...query.projectIds],
      oldest: instant(query.dayFromMs - eventAgeMsMax),
      dayFrom: instant(query.dayFromMs),
      from: instant(query.fromMs),
      until: instant(query.untilMs),
      eventsMin: query.eventsMin,
      limit: query.limit,
    },
    format: 'JSONEachRow',
    abort_signal: signal,
  })
  const rows = await result.json<{
    project_id: string
    issue: string | null
    span: number
    before: number
  }>()
  return rows.map((row) => ({
    projectId: row.project_id,
    issueId: row.issue,
    span: row.span,
    before: row.before,
  }))
}

/** Stored events of these issues by step of their time. A step without events has no row. */
export const countSteps = async (
  clickhouse: ClickHouse,
  query: {
    projectId: string
    issueIds: readonly string[]
    fromMs: number
    toMs: number
    stepSeconds: number
  },
  signal: AbortSignal,
): Promise<{ issueId: string; atMs: number; events: number }[]> => {
  if (query.issueIds.length === 0) return []
  const result = await clickhouse.query({
    query: `
      select issue_id, intDiv(toUnixTimestamp(at), {step:UInt32}) * {step:UInt32} as step_at,
        count() as events
      from error_occurrences
      where project_id = {project:UUID} and issue_id in {issues:Array(UUID)}
        and at >= {from:DateTime64(3, 'UTC')} and at < {to:DateTime64(3, 'UTC')}
      group by issue_id, step_at order by issue_id, step_at`,
    query_params: {
      project: query.projectId,
      issues: [...query.issueIds],
      from: instant(query.fromMs),
      to: instant(query.toMs),
      step: query.stepSeconds,
    },
    format: 'JSONEachRow',
    abort_signal: signal,
  })
  const rows = await result.json<{ issue_id: string; step_at: number; events: number }>()
  return rows.map((row) => ({
    issueId: row.issue_id,
    atMs: row.step_at * 1000,
    events: row.events,
  }))
}
