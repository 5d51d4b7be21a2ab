import type { Check } from '@probe-mesh/contracts/check/check'
import { isRefusal, refuse, type Refusal } from '@probe-mesh/contracts/schema/refusal'
import type { Tier } from '@probe-mesh/contracts/account/tiers'
import type { RouteInput } from '@probe-mesh/contracts/api/routes'
import type { Writer, AccountContext, SaveRules } from '../accounts/operations/context.ts'
import { draftAnyCheck, draftHttpCheck, type NewCheck } from './draft-check.ts'
import { uuidv7 } from '@probe-mesh/contracts/schema/ids'
import { lockAccount } from '../accounts/accounts-store.ts'
import { insertRevision } from '../records/check/check-revisions-store.ts'
import { countChecks, insertCheck, notifyCheckChanged } from '../records/check/checks-store.ts'
import { copyNotes } from '../records/check/check-notes-store.ts'
import { copyParents } from '../records/check/check-parents-store.ts'
import { insertHeartbeat } from '../heartbeats/heartbeats-store.ts'
import type { CheckWithState } from '../records/check/check-record.ts'
import { newCheckState } from '../status/state.ts'
import type { CheckContext } from './check-context.ts'
import type { ManualRuns } from './manual-runs.ts'
import { settleAndStore } from './requests/settle-requests.ts'
import type { Vault } from '../secrets/vault.ts'
import { describeCheck } from './describe-check.ts'
import { newInterval, refuseLongTimeout } from './check-interval.ts'
import { refuseBusyTarget } from '../targets/refuse-busy-target.ts'
import { refuseUnknownAgent } from '../agents/refuse-unknown-agent.ts'
import type { Transaction } from '../stores/postgres/connect.ts'
import { write, type WriteName } from '../accounts/operations/write.ts'

/**
 * Creates an http check and requests a first reading from every region. Refusals, in this order: regions that
 * are not live SV-2001, unsafe target SV-5001, interval SV-4002, check limit SV-4001 (S-214).
 */
export const createCheck = async (
  context: SavingContext,
  writer: Writer,
  { body }: RouteInput<'createCheck'>,
): Promise<Check | Refusal> => {
  const draft = draftHttpCheck(body, { rules: context.rules, accountId: writer.accountId })
  return isRefusal(draft) ? draft : saveNewCheck(context, writer, draft)
}

/**
 * Creates a check of any type, for the dashboard and the operator: the REST API takes http checks without a request.
 * Refusals, in this order, each with every problem: input SV-2001, SV-2002 or SV-2003, unsafe target SV-5001,
 * regions that are not live SV-2001, interval SV-4002, check limit SV-4001.
 * @param body as it was sent, a `CreateHttpCheckInput` or a `CreateTypedCheckInput`
 */
export const createTypedCheck = async (
  context: SavingContext,
  writer: Writer,
  body: unknown,
): Promise<Check | Refusal> => {
  const draft = draftAnyCheck(body, { rules: context.rules, accountId: writer.accountId })
  return isRefusal(draft) ? draft : saveNewCheck(context, writer, draft)
}

export type SavingContext = Pick<CheckContext, 'sql' | 'targets' | 'now'> & {
  readonly rules: SaveRules
  readonly runs: Pick<ManualRuns, 'start'>
  /** Absent: credentials in clear are refused. */
  readonly vault?: Vault
}

/**
 * Saves a new check, its first revision and the notification of all control planes in one transaction, and
 * requests a first reading from every region. Refusals, in this order: unknown agent SV-3001, interval
 * SV-4002, timeout too long for the interval SV-2001, check limit SV-4001, target probed too often SV-5001.
 * @param options.copyOf its parents and notes are those of this check
 */
export const saveNewCheck = async (
  context: SavingContext,
  writer: Writer,
  draft: NewCheck,
  options: { copyOf?: string } = {},
): Promise<Check | Refusal> => {
  const saved = await write(context, writer, auditEntry(context), async (tx) => {
    // the lock keeps the count valid until the insert: concurrent creates of one account wait
    const account = await lockAccount(tx, writer.accountId)
    if (account === null) return refuse('SV-1002')
    const check = await fitDraft({ ...context, writer }, tx, account, draft)
    if (isRefusal(check)) return check
    const { monitors } = context.rules.tiers[account.tier]
    if ((await countChecks(tx, account.id)) >= monitors) return refuseOneMore(account, monitors)
    const busy = await refuseBusyTarget(tx, check, null, context)
    if (busy !== null) return busy
    await insertNewCheck(tx, check)
    if (options.copyOf !== undefined) {
      await copyParents(tx, options.copyOf, check.id)
      await copyNotes(tx, options.copyOf, check.id)
    }
    return check
  })
  if (isRefusal(saved)) return saved
  context.runs.start(saved)
  return describeCheck(saved, context.now())
}

/**
 * The check of a draft, with a new id. Refusals, in this order: unknown agent SV-3001, interval SV-4002, timeout too
 * long for the interval SV-2001, requests SV-2001 or SV-1013 (`settleRequests`).
 */
export const fitDraft = async (
  context: Pick<SavingContext, 'rules' | 'now' | 'vault'> & { readonly writer: Pick<Writer, 'actor'> },
  tx: Transaction,
  account: { id: string; tier: Tier },
  draft: NewCheck,
): Promise<CheckWithState | Refusal> => {
  const unknown = await refuseUnknownAgent(tx, account.id, draft.regions)
  if (unknown !== null) return unknown
  const intervalSeconds = newInterval(account, context.rules.tiers[account.tier], draft)
  if (isRefusal(intervalSeconds)) return intervalSeconds
  const tooLong = refuseLongTimeout(draft.config, intervalSeconds)
  if (tooLong !== null) return tooLong
  const config = await settleAndStore(context, context.writer, tx, { ...draft, accountId: account.id })
  if (isRefusal(config)) return config
  const nowMs = context.now()
  return {
    ...draft,
    config,
    id: uuidv7(nowMs),
    accountId: account.id,
    type: draft.config.type,
    intervalSeconds,
    revision: 1,
    validFromMs: nowMs,
    createdAtMs: nowMs,
    updatedAtMs: nowMs,
    state: newCheckState,
  }
}

/** SV-4001: the account has all the checks of its plan. */
export const refuseOneMore = ({ tier }: { tier: Tier }, monitors: number): Refusal =>
  refuse('SV-4001', { message: `The limit of ${monitors} checks of the ${tier} plan is reached.` })

/** Inserts a check with its first revision, and notifies all control planes. */
export const insertNewCheck = async (tx: Transaction, check: CheckWithState): Promise<void> => {
  await insertCheck(tx, check)
  if (check.type === 'heartbeat') await insertHeartbeat(tx, check.id)
  await insertRevision(tx, check)
  await notifyCheckChanged(tx, check.id)
}

const auditEntry = ({ now }: Pick<AccountContext, 'now'>): WriteName<CheckWithState> => ({
  action: 'createCheck',
  resourceType: 'check',
  resourceId: ({ id }) => id,
  answer: (check) => describeCheck(check, now()),
})
