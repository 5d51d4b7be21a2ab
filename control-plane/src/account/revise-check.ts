import type { Check } from '@probe-mesh/contracts/check'
import { isRefusal, refuse } from '@probe-mesh/contracts/refusal'
import type { Refusal } from '@probe-mesh/contracts/refusal'
import { insertRevision } from '../postgres/check-revisions.ts'
import { lockCheck, notifyCheckChanged, updateCheck } from '../postgres/checks.ts'
import type { CheckRecord, CheckWithState } from '../checks/check-record.ts'
import type { AccountContext, Caller } from './context.ts'
import { describeCheck } from './describe-check.ts'

export type CheckChange = Partial<Pick<CheckRecord, 'regions' | 'allRegions' | 'assertions'>>

/**
 * Makes a check's next revision, valid from one instant on: the row, the closed and the opened
 * revision, and the notice to every control plane, in one transaction. A change that changes
 * nothing makes no revision.
 * @param decide what changes, given the check as it is locked
 */
export const reviseCheck = async (
  context: Pick<AccountContext, 'sql' | 'answers' | 'now'>,
  caller: Caller,
  checkId: string,
  decide: (check: CheckRecord) => CheckChange | Refusal,
): Promise<Check | Refusal> => {
  const revised = await context.sql.begin(async (tx): Promise<CheckWithState | Refusal> => {
    const check = await lockCheck(tx, caller.accountId, checkId)
    if (check === null) return refuse('SV-3001')
    const change = decide(check)
    if (isRefusal(change)) return change
    if (changesNothing(check, change)) return check
    // taken under the lock, so that revisions follow one another in time as they do in number
    const nowMs = Math.max(context.now(), check.validFromMs)
    const next: CheckWithState = {
      ...check,
      ...change,
      revision: check.revision + 1,
      validFromMs: nowMs,
      updatedAtMs: nowMs,
    }
    await updateCheck(tx, next)
    await insertRevision(tx, next)
    await notifyCheckChanged(tx, check.id)
    return next
  })
  if (isRefusal(revised)) return revised
  context.answers.drop(checkId)
  return describeCheck(revised, context.now())
}

const changesNothing = (check: CheckRecord, change: CheckChange): boolean =>
  JSON.stringify(pickChangeable({ ...check, ...change })) === JSON.stringify(pickChangeable(check))

const pickChangeable = ({ regions, allRegions, assertions }: CheckRecord): CheckChange => ({
  regions,
  allRegions,
  assertions,
})
