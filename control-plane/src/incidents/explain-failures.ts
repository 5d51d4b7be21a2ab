import { findOpenIncidents } from '../public-answers/observe/shared-watch.ts'
import { publicCauseText } from '../alerts/shared-causes/cause-text.ts'
import { findEvidence } from '../alerts/shared-causes/providers-store.ts'
import { readInTime } from '../alerts/shared-causes/read-in-time.ts'
import { sharedCauseOf } from '../alerts/shared-causes/shared-cause.ts'
import type { Transaction } from '../stores/postgres/connect.ts'
import type { ExplainedFailure } from './open-incidents.ts'

/** An incident does not wait longer for its explanation. */
const explainMsMax = 1_000
/** Accounts that are explained in one batch of flips; the incidents of others open without. */
const accountsMax = 5

/**
 * Adds to the evidence of failures which provider explains them (S-1957), in words for everybody: without the
 * numbers of the account's checks.
 */
export const explainFailures = async (
  tx: Transaction,
  failures: readonly ExplainedFailure[],
  nowMs: number,
): Promise<readonly ExplainedFailure[]> => {
  const accountIds = [...new Set(failures.map(({ accountId }) => accountId))]
  if (accountIds.length === 0 || accountIds.length > accountsMax) return failures
  const limit = { msMax: explainMsMax, statements: 1 + 2 * accountIds.length }
  const found = await readInTime(tx, limit, async (within) => {
    let incidents: ReturnType<typeof findOpenIncidents> | undefined
    const readIncidents = () => (incidents ??= findOpenIncidents(within, nowMs))
    const evidence = new Map<string, Awaited<ReturnType<typeof findEvidence>>>()
    for (const id of accountIds) evidence.set(id, await findEvidence(within, id, readIncidents, nowMs))
    return evidence
  })
  if (found === null) return failures
  return failures.map((failure) => {
    const evidence = found.get(failure.accountId)
    const cause = evidence === undefined ? null : sharedCauseOf(failure.checkId, evidence)
    return cause === null
      ? failure
      : { ...failure, evidence: `${failure.evidence} ${publicCauseText(cause)}`.trim() }
  })
}
