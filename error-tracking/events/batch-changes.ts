import type { ErrorEvent } from './error-event.ts'
import type { TallyMessage } from './errors-message.ts'
import { errorIssueIdOf } from './issue.ts'
import { monthOf } from './quota.ts'
import type { ErrorDrops } from '../contracts/error-tracking.ts'

/** The outcome of a received event. */
export type ErrorOutcome = 'stored' | keyof ErrorDrops

/** The outcome in a batch. `gone`: its project was deleted, and the event is not counted. */
export type BatchOutcome = ErrorOutcome | 'gone'

/** The change of one issue by a batch. Times are Unix milliseconds. */
type IssueChange = {
  id: string
  projectId: string
  version: number
  hash: string
  /** Title, culprit and release are those of the newest occurrence. */
  title: string
  culprit: string | null
  release: string | null
  occurrences: number
  firstSeenMs: number
  lastSeenMs: number
}

/** All changes of a batch in Postgres. Months are in the format of `monthOf`. */
export type BatchChanges = {
  counts: { projectId: string; month: string; outcome: ErrorOutcome; events: number }[]
  issues: IssueChange[]
  issueReleases: { issueId: string; projectId: string; release: string; occurrences: number }[]
  projectReleases: { projectId: string; release: string; firstSeenMs: number }[]
  reports: {
    projectId: string
    month: string
    category: string
    reason: string
    quantity: number
  }[]
  unsupported: { projectId: string; month: string; type: string; items: number }[]
}

/**
 * The sums of a batch: each event in one count, each stored event in one issue. An event counts in the month
 * of its arrival. Rows are sorted by key, so that all transactions lock them in the same order.
 */
export const batchChanges = (
  events: readonly { event: ErrorEvent; outcome: BatchOutcome }[],
  tallies: readonly TallyMessage[],
): BatchChanges => {
  const counts = createSums(['projectId', 'month', 'outcome'], 'events')
  const reports = createSums(['projectId', 'month', 'category', 'reason'], 'quantity')
  const unsupported = createSums(['projectId', 'month', 'type'], 'items')
  const issueReleases = createSums(['issueId', 'projectId', 'release'], 'occurrences')
  const issues = new Map<string, IssueChange>()
  const projectReleases = new Map<string, BatchChanges['projectReleases'][number]>()

  for (const { event, outcome } of events) {
    if (outcome === 'gone') continue
    const { projectId, release } = event
    counts.add({ projectId, month: monthOf(event.receivedAt), outcome }, 1)
    if (outcome !== 'stored') continue
    const change = issueOf(event)
    issues.set(change.id, merged(issues.get(change.id), change))
    if (release === null) continue
    issueReleases.add({ issueId: change.id, projectId, release }, 1)
    const key = `${projectId} ${release}`
    const firstSeenMs = Math.min(
      event.receivedAt,
      projectReleases.get(key)?.firstSeenMs ?? Number.POSITIVE_INFINITY,
    )
    projectReleases.set(key, { projectId, release, firstSeenMs })
  }
  for (const { projectId, at, ...tally } of tallies) {
    const month = monthOf(at)
    for (const [outcome, quantity] of Object.entries(tally.drops)) {
      counts.add({ projectId, month, outcome }, quantity)
    }
    for (const { category, reason, quantity } of tally.reports) {
      reports.add({ projectId, month, category, reason }, quantity)
    }
    for (const [type, items] of Object.entries(tally.unsupported)) {
      unsupported.add({ projectId, month, type }, items)
    }
  }
  return {
    counts: counts.rows(),
    issues: sortedBy(issues),
    issueReleases: issueReleases.rows(),
    projectReleases: sortedBy(projectReleases),
    reports: reports.rows(),
    unsupported: unsupported.rows(),
  }
}

const issueOf = ({ projectId, at, release, grouping }: ErrorEvent): IssueChange => ({
  id: errorIssueIdOf(projectId, grouping),
  projectId,
  ...grouping,
  release,
  occurrences: 1,
  firstSeenMs: at,
  lastSeenMs: at,
})

const merged = (known: IssueChange | undefined, change: IssueChange): IssueChange =>
  known === undefined
    ? change
    : {
        ...(change.lastSeenMs >= known.lastSeenMs ? change : known),
        occurrences: known.occurrences + change.occurrences,
        firstSeenMs: Math.min(known.firstSeenMs, change.firstSeenMs),
        lastSeenMs: Math.max(known.lastSeenMs, change.lastSeenMs),
      }

const sortedBy = <T>(map: ReadonlyMap<string, T>): T[] =>
  [...map].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, value]) => value)

/** Sums quantities by the values of `keys`. @param name the field of the sum in each row */
const createSums = (keys: readonly string[], name: string) => {
  const sums = new Map<string, Record<string, string | number>>()
  return {
    add: (by: Record<string, string>, quantity: number): void => {
      const key = JSON.stringify(keys.map((field) => by[field]))
      sums.set(key, { ...by, [name]: Number(sums.get(key)?.[name] ?? 0) + quantity })
    },
    rows: <Row>(): Row[] => sortedBy(sums) as Row[],
  }
}
