import { isDeepStrictEqual } from 'node:util'
import type { Check } from '@probe-mesh/contracts/check/check'
import { isRefusal, refuse } from '@probe-mesh/contracts/schema/refusal'
import type { Refusal } from '@probe-mesh/contracts/schema/refusal'
import { insertRevision } from '../check-record/check-revisions-store.ts'
import { lockCheck, notifyCheckChanged, updateCheck } from '../check-record/checks-store.ts'
import type { Transaction } from '../stores/postgres/connect.ts'
import { deleteCheckDomain, registrableDomain } from './expiry/domains-store.ts'
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
    | 'tags'
    | 'assertions'
    | 'config'
  >
>

export type RevisingContext = Pick<AccountContext, 'sql' | 'now'> &
  TargetContext & {
    readonly answers: Pick<AccountContext['answers'], 'drop'>
  }

/**
 * Writes the next revision of a check in one transaction: the row, the closed and the opened revision, and
 * the notification of all control planes. A change without effect writes none, and tags are no part of what is
 * measured, so they change without a revision. SV-3002 for a check that a
 * newer version wrote; SV-5001 if the target would be probed more, and too often.
 * @param action the name in the audit log
 * @param decide the change, given the locked check
 */
export const reviseCheck = async (
  context: RevisingContext,
  writer: Writer,
  action: string,
  checkId: string,
  decide: (check: CheckRecord, tx: Transaction) => CheckChange | Refusal | Promise<CheckChange | Refusal>,
): Promise<Check | Refusal> => {
  const name = { action, resourceType: 'check', resourceId: () => checkId }
  const revised = await write(context, writer, name, async (tx): Promise<CheckWithState | Refusal> => {
    const check = await lockCheck(tx, writer.accountId, checkId)
    if (check === null) return refuse('SV-3001')
    const change = await decide(check, tx)
    if (isRefusal(change)) return change
    if (check.config.type === 'unknown') return refuse('SV-3002', { message: writtenByNewer })
    // under the lock, so that revisions are in order of time as well as of number
    const nowMs = Math.max(context.now(), check.validFromMs)
    const next: CheckWithState = { ...check, ...change }
    if (isDeepStrictEqual(next, check)) return check
    if (isDeepStrictEqual({ ...next, tags: check.tags }, check)) {
      const tagged = { ...next, updatedAtMs: nowMs }
      await updateCheck(tx, tagged)
      await notifyCheckChanged(tx, check.id)
      return tagged
    }
    const revision = { revision: check.revision + 1, validFromMs: nowMs, updatedAtMs: nowMs }
    const written: CheckWithState = { ...next, ...revision }
    const busy = await refuseBusyTarget(tx, written, check, context)
    if (busy !== null) return busy
    await updateCheck(tx, written)
    const hasNewDomain = registrableDomain(written) !== registrableDomain(check)
    if (hasNewDomain) await deleteCheckDomain(tx, check.id)
    await insertRevision(tx, written)
    if (check.type === 'heartbeat') await rearmHeartbeat(tx, check.id, nowMs)
    await notifyCheckChanged(tx, check.id)
    return written
  })
  if (isRefusal(revised)) return revised
  context.answers.drop(checkId)
  return describeCheck(revised, context.now())
}

const writtenByNewer =
  'A newer version of the control plane wrote this check. Upgrade this control plane to change it.'
