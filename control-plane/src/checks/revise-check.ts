import { isDeepStrictEqual } from 'node:util'
import type { Check } from '@probe-mesh/contracts/check/check'
import type { CheckNotesChange } from '@probe-mesh/contracts/check/check-notes'
import type { StatusRule } from '@probe-mesh/contracts/check/status-rule'
import { isRefusal, refuse, type Refusal } from '@probe-mesh/contracts/schema/refusal'
import { insertRevision } from '../records/check/check-revisions-store.ts'
import { lockCheck, notifyCheckChanged, updateCheck, updateTags } from '../records/check/checks-store.ts'
import type { Transaction } from '../stores/postgres/connect.ts'
import { deleteCheckDomain, registrableDomain } from './expiry/domains-store.ts'
import type { CheckRecord, CheckWithState, StoredConfig } from '../records/check/check-record.ts'
import type { AccountContext, Writer } from '../accounts/operations/context.ts'
import { changeNotes } from './check-notes.ts'
import { changeParents } from './check-parents.ts'
import { changeStatusRule } from './status-rule.ts'
import { describeCheck } from './describe-check.ts'
import { refuseImpossible } from './requests/impossible-assertions.ts'
import { settleAndStore } from './requests/settle-requests.ts'
import type { Vault } from '../secrets/vault.ts'
import { rearmHeartbeat } from '../heartbeats/change-heartbeat.ts'
import { refuseBusyTarget, type TargetContext } from '../targets/refuse-busy-target.ts'
import { write, type WriteName } from '../accounts/operations/write.ts'

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
> & {
  /** Replaces the checks that it depends on. They are no part of what is measured. */
  parentIds?: readonly string[] | undefined
  /** What people know about it. It is no part of what is measured either. */
  noted?: CheckNotesChange | undefined
  /** What decides its status. */
  statusRule?: StatusRule | undefined
}

export type RevisingContext = Pick<AccountContext, 'sql' | 'now'> &
  TargetContext & {
    readonly answers: Pick<AccountContext['answers'], 'drop'>
    /** Absent: credentials in clear are refused. */
    readonly vault?: Vault
  }

/** The name of a change in the audit log: a pause, a resume and new tags have their own names. */
export const actionOf = (body: unknown, otherwise: string): string => {
  const [[field, value] = [], ...others] = Object.entries(Object(body))
  if (others.length > 0) return otherwise
  if (field === 'tags') return 'tagCheck'
  return field === 'paused' ? (value === true ? 'pauseCheck' : 'resumeCheck') : otherwise
}

/**
 * Changes a check in one transaction (`changeLocked`). A change without effect has no audit entry.
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
  const name: WriteName<Revised> = {
    action,
    resourceType: 'check',
    resourceId: ({ before, after }) => (before === after ? null : checkId),
  }
  const revised = await write(context, writer, name, async (tx): Promise<Revised | Refusal> => {
    const before = await lockCheck(tx, writer.accountId, checkId)
    if (before === null) return refuse('SV-3001')
    const decided = await decide(before, tx)
    if (isRefusal(decided)) return decided
    const { parentIds, noted, statusRule, ...change } = decided
    const attached = [
      parentIds !== undefined && (await changeParents(tx, before, parentIds)),
      noted !== undefined && (await changeNotes(tx, before, noted)),
      statusRule !== undefined && (await changeStatusRule(tx, { ...before, ...change }, statusRule)),
    ]
    const errors = attached.flatMap((each) => (isRefusal(each) ? each.errors : []))
    if (errors.length > 0) return refuse('SV-2001', { errors })
    const after = await changeLocked({ ...context, writer }, tx, before, change)
    return isRefusal(after) ? after : { before, after: attached.includes(true) ? { ...after } : after }
  })
  if (isRefusal(revised)) return revised
  context.answers.drop(checkId)
  return describeCheck(revised.after, context.now())
}

/** The same object twice if nothing changed. */
type Revised = { before: CheckWithState; after: CheckWithState }

/**
 * Writes the next revision of a locked check: the row, the closed and the opened revision, and the notification
 * of all control planes. A change without effect writes nothing. Tags are no part of what is measured, so they
 * change without a revision. SV-3002 for a check that a newer version wrote; SV-5001 if the target would be
 * probed more, and too often.
 * @returns the same object if nothing changed
 */
const changeLocked = async (
  context: Pick<RevisingContext, 'now' | 'targets' | 'rules' | 'vault'> & { readonly writer: Writer },
  tx: Transaction,
  check: CheckWithState,
  change: Omit<CheckChange, 'parentIds' | 'noted' | 'statusRule'>,
): Promise<CheckWithState | Refusal> => {
  const newer = refuseNewer(check)
  if (newer !== null) return newer
  // under the lock, so that revisions are in order of time as well as of number
  const nowMs = Math.max(context.now(), check.validFromMs)
  const changed = withoutEnd({ ...check, ...change })
  const config = await settleChanged(context, tx, check, changed)
  if (isRefusal(config)) return config
  const next = { ...changed, config }
  if (isDeepStrictEqual(next, check)) return check
  if (isDeepStrictEqual({ ...next, tags: check.tags }, check)) {
    await updateTags(tx, [next], nowMs)
    await notifyCheckChanged(tx, check.id)
    return { ...next, updatedAtMs: Math.max(nowMs, check.updatedAtMs) }
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
}

/** The config of a changed check; its requests are judged again only if they, their target or their agents changed. */
const settleChanged = async (
  context: Pick<RevisingContext, 'now' | 'vault'> & { readonly writer: Writer },
  tx: Transaction,
  before: CheckRecord,
  changed: CheckRecord,
): Promise<StoredConfig | Refusal> => {
  const { config, url, regions } = changed
  if (config.type === 'unknown') return config
  const isSame = [
    [config, before.config],
    [url, before.url],
    [regions, before.regions],
  ].every(([one, other]) => isDeepStrictEqual(one, other))
  if (isSame) return refuseImpossible(changed, before) ?? config
  return settleAndStore(context, context.writer, tx, { ...changed, config, before })
}

/** A resumed check keeps no end of its pause. */
const withoutEnd = (check: CheckWithState): CheckWithState =>
  check.paused ? check : { ...check, pausedUntilMs: null }

/** SV-3002 for a check that a newer version of the control plane wrote: this one cannot write it. */
export const refuseNewer = ({ config }: Pick<CheckRecord, 'config'>): Refusal | null =>
  config.type === 'unknown' ? refuse('SV-3002', { message: writtenByNewer }) : null

const writtenByNewer =
  'A newer version of the control plane wrote this check. Upgrade this control plane to change it.'
