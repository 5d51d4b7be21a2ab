import { surroundingMs } from '../contracts/error-issue-acts.ts'
import { errorMarksMax, type ErrorMarks, type ErrorMarksQuery } from '../contracts/error-marks.ts'
import { joinSpans, type Span } from '../events/surroundings.ts'
import { findFailedSpans, findIssueMarks, findReleaseMarks } from './error-marks-store.ts'
import { inAccount } from '@probe-mesh/control-plane/src/stores/postgres/in-account'
import type { AccountContext, Caller } from '@probe-mesh/control-plane/src/accounts/operations/context'

/** Only the newest failures of a check are used. */
const failuresMax = 50

/**
 * Releases that were first seen in a span, and its new issues, regressions and spikes. With a check, only
 * issues of the minutes around its failures. A check of another account has no failures.
 */
export const getErrorMarks = async (
  { sql, now }: Pick<AccountContext, 'sql' | 'now'>,
  { accountId }: Pick<Caller, 'accountId'>,
  { query }: { query: ErrorMarksQuery },
): Promise<ErrorMarks> => {
  const { checkId } = query
  const whole: Span = { sinceMs: Date.parse(query.since), untilMs: Date.parse(query.until) }
  const nowMs = now()
  const limit = errorMarksMax + 1
  return inAccount(sql, accountId, async (tx) => {
    const failed =
      checkId === undefined ? [whole] : await findFailedSpans(tx, { accountId, checkId }, whole, failuresMax)
    const around = failed.map(({ sinceMs, untilMs }) => ({
      sinceMs: sinceMs - surroundingMs,
      untilMs: Math.min(untilMs, nowMs) + surroundingMs,
    }))
    const spans = joinSpans(around)
    const releases = await findReleaseMarks(tx, accountId, whole, limit)
    const issues = await findIssueMarks(tx, accountId, spans, limit)
    return {
      releases: releases.slice(0, errorMarksMax),
      allReleases: releases.length <= errorMarksMax,
      spans: spans.map(({ sinceMs, untilMs }) => ({
        since: new Date(sinceMs).toISOString(),
        until: new Date(untilMs).toISOString(),
      })),
      issues: issues.slice(0, errorMarksMax),
      allIssues: issues.length <= errorMarksMax && failed.length < failuresMax,
      asOf: new Date(nowMs).toISOString(),
    }
  })
}
