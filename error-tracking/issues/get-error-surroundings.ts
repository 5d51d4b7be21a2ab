import { surroundingMax, surroundingMs, type ErrorSurroundings } from '../contracts/error-issue-acts.ts'
import { refuse, type Refusal } from '@probe-mesh/contracts/schema/refusal'
import { spansAround } from '../events/surroundings.ts'
import { findErrorIssue, findErrorRegressions, findErrorResolution } from './error-issues-store.ts'
import { inAccount } from '@probe-mesh/control-plane/src/stores/postgres/in-account'
import {
  findFailures,
  findIncidentsOf,
  type FailureRecord,
  type SurroundingIncident,
} from './surroundings-store.ts'
import type { AccountContext, Caller } from '@probe-mesh/control-plane/src/accounts/operations/context'
import { describeRegression } from './error-issues.ts'

/** Failed checks and incidents of the minutes around the first and the last occurrence of an issue. */
export const getErrorSurroundings = (
  { sql }: Pick<AccountContext, 'sql'>,
  { accountId }: Pick<Caller, 'accountId'>,
  { params: { id } }: { params: { id: string } },
): Promise<ErrorSurroundings | Refusal> =>
  inAccount(sql, accountId, async (tx) => {
    const issue = await findErrorIssue(tx, accountId, id)
    if (issue === null) return refuse('SV-3001')
    const spans = spansAround([issue.firstSeenMs, issue.lastSeenMs], surroundingMs)
    const limit = surroundingMax + 1
    const [resolution, regressions, failures, incidents] = await Promise.all([
      findErrorResolution(tx, accountId, id),
      findErrorRegressions(tx, accountId, [id]),
      Promise.all(spans.map((span) => findFailures(tx, accountId, span, limit))),
      Promise.all(spans.map((span) => findIncidentsOf(tx, accountId, span, limit))),
    ])
    const regression = regressions.get(id)
    // a failure or incident that covers both spans counts once
    const failed = newestFirst(failures.flat(), failureKey, ({ sinceMs }) => sinceMs)
    const opened = newestFirst(
      incidents.flat(),
      (each) => each.id,
      ({ startedAtMs }) => startedAtMs,
    )
    return {
      resolution: resolution && {
        at: instant(resolution.atMs),
        inNextRelease: resolution.inNextRelease,
      },
      regression: regression === undefined ? null : describeRegression(regression),
      spans: spans.map((span) => ({ since: instant(span.sinceMs), until: instant(span.untilMs) })),
      failures: failed.slice(0, surroundingMax).map(describeFailure),
      incidents: opened.slice(0, surroundingMax).map(describeIncident),
      complete: failed.length <= surroundingMax && opened.length <= surroundingMax,
    }
  })

const failureKey = ({ checkId, sinceMs, status }: FailureRecord): string => `${checkId} ${sinceMs} ${status}`

const newestFirst = <T>(found: readonly T[], keyOf: (one: T) => string, beganMs: (one: T) => number): T[] =>
  [...new Map(found.map((one) => [keyOf(one), one])).values()].toSorted((a, b) => beganMs(b) - beganMs(a))

const describeFailure = ({ sinceMs, untilMs, ...failure }: FailureRecord) => ({
  ...failure,
  since: instant(sinceMs),
  until: untilMs === null ? null : instant(untilMs),
})

const describeIncident = ({ startedAtMs, resolvedAtMs, ...incident }: SurroundingIncident) => ({
  ...incident,
  startedAt: instant(startedAtMs),
  resolvedAt: resolvedAtMs === null ? null : instant(resolvedAtMs),
})

const instant = (atMs: number): string => new Date(atMs).toISOString()
