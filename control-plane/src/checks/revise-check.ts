import { isDeepStrictEqual } from 'node:util'
import type { Check } from '@probe-mesh/contracts/check/check'
import { isRefusal, refuse } from '@probe-mesh/contracts/schema/refusal'
import type { Refusal } from '@probe-mesh/contracts/schema/refusal'
import { insertRevision } from '../check-record/check-revisions-store.ts'
import { lockCheck, notifyCheckChanged, updateCheck } from '../check-record/checks-store.ts'
import type { Transaction } from '../stores/postgres/connect.ts'
import { forgetDomain, registrableDomain } from './expiry/domains-store.ts'
import type { CheckRecord, CheckWithState } from '../check-record/check-record.ts'
import type { AccountContext, Writer } from '../operations/context.ts'
import { describeCheck } from './describe-check.ts'
import { rearmHeartbeat } from '../heartbeats/change-heartbeat.ts'
import { refuseBusyTarget } from '../targets/refuse-busy-target.ts'
import type { TargetContext } from '../targets/refuse-busy-target.ts'
import { write } from '../operations/write.ts'

export type CheckChange = Partial<
  Pick<
    CheckRecord,
    | 'name'
    | 'url'
    | 'target'
    | 'intervalSeconds'
    | 'regions'
    | 'allRegions'
    | 'private'
    | 'paused'
    | 'assertions'
    | 'config'
  >
>

export type RevisingContext = Pick<AccountContext, 'sql' | 'now'> &
  TargetContext & {
    readonly answers: Pick<AccountContext['answers'], 'drop'>
  }

/**
 * Makes a check's next revision, valid from one instant on: the row, the closed and the opened
 * revision, and the notice to every control plane, in one transaction. A change that changes
 * nothing makes no revision. What a newer version wrote is not changed: SV-3002. A target that would be
 * asked more, and too often: SV-5001.
 * @param action what the audit log calls it
 * @param decide what changes, given the check as it is locked
 */
export const reviseCheck = async (
  context: RevisingContext,
  writer: Writer,
  action: string,
  checkId: string,
  decide: (
    check: CheckRecord,
    transaction: Transaction,
  ) => CheckChange | Refusal | Promise<CheckChange | Refusal>,
): Promise<Check | Refusal> => {
  const name = { action, resourceType: 'check', resourceId: () => checkId }
  const revised = await write(
    context,
    writer,
    name,
    async (tx): Promise<CheckWithState | Refusal> => {
      const check = await lockCheck(tx, writer.accountId, checkId)
      if (check === null) return refuse('SV-3001')
      const change = await decide(check, tx)
      if (isRefusal(change)) return change
      if (check.config.type === 'unknown') return refuse('SV-3002', { message: tooNew })
      // taken under the lock, so that revisions follow one another in time as they do in number
      const nowMs = Math.max(context.now(), check.validFromMs)
      const next: CheckWithState = { ...check, ...change }
      if (isDeepStrictEqual(next, check)) return check
      const revision = { revision: check.revision + 1, validFromMs: nowMs, updatedAtMs: nowMs }
      const written: CheckWithState = { ...next, ...revision }
      const busy = await refuseBusyTarget(tx, written, check, context)
      if (busy !== null) return busy
      await updateCheck(tx, written)
      const isElsewhere = registrableDomain(written) !== registrableDomain(check)
      if (isElsewhere) await forgetDomain(tx, check.id)
      await insertRevision(tx, written)
      if (check.type === 'heartbeat') await rearmHeartbeat(tx, check.id, nowMs)
      await notifyCheckChanged(tx, check.id)
      return written
    },
  )
  if (isRefusal(revised)) return revised
  context.answers.drop(checkId)
  return describeCheck(revised, context.now())
}

const tooNew =
  'A newer version of the control plane wrote this check, and only such a one can change it.'
