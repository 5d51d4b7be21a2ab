import type { Check } from '@probe-mesh/contracts/check/check'
import { isRefusal, refuse } from '@probe-mesh/contracts/schema/refusal'
import type { Refusal } from '@probe-mesh/contracts/schema/refusal'
import type { RouteInput } from '@probe-mesh/contracts/api/routes'
import type { Writer, AccountContext, SaveRules } from '../operations/context.ts'
import { draftHttpCheck, draftTypedCheck } from './draft-check.ts'
import type { NewCheck } from './draft-check.ts'
import { uuidv7 } from '@probe-mesh/contracts/schema/ids'
import { lockAccount } from '../accounts/accounts-store.ts'
import { insertRevision } from '../check-record/check-revisions-store.ts'
import { countChecks, insertCheck, notifyCheckChanged } from '../check-record/checks-store.ts'
import { insertHeartbeat } from '../heartbeats/heartbeats-store.ts'
import type { CheckWithState } from '../check-record/check-record.ts'
import { newCheckState } from '../status/state.ts'
import type { CheckContext } from './check-context.ts'
import type { ManualRuns } from './manual-runs.ts'
import { describeCheck } from './describe-check.ts'
import { newInterval, refuseLongTimeout } from './check-interval.ts'
import { refuseBusyTarget } from '../targets/refuse-busy-target.ts'
import { refuseUnknownAgent } from '../agents/refuse-unknown-agent.ts'
import { write } from '../operations/write.ts'
import type { WriteName } from '../operations/write.ts'

/**
 * Creates an http check and asks every region for a first reading. Refused in this order: regions
 * that are not live SV-2001, unsafe target SV-5001, interval SV-4002, allowance SV-4001 (S-214).
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
 * Creates a check of any type but http: an act of the dashboard and of the operator, which the REST
 * API refuses. Refused in this order, each with every problem: the input SV-2001, SV-2002 or
 * SV-2003, an unsafe target SV-5001, regions that are not live SV-2001, the interval SV-4002, the
 * allowance SV-4001.
 * @param body as it was sent, a `CreateTypedCheckInput`
 */
export const createTypedCheck = async (
  context: SavingContext,
  writer: Writer,
  body: unknown,
): Promise<Check | Refusal> => {
  const draft = draftTypedCheck(body, { rules: context.rules, accountId: writer.accountId })
  return isRefusal(draft) ? draft : saveNewCheck(context, writer, draft)
}

type SavingContext = Pick<CheckContext, 'sql' | 'targets' | 'now'> & {
  readonly rules: SaveRules
  readonly runs: Pick<ManualRuns, 'start'>
}

/**
 * Saves a new check of any type, with its first revision and the notice to every control plane, in
 * one transaction, and asks every region for a first reading. Refused in this order: an agent that the
 * account does not have SV-3001, interval SV-4002, a timeout that the interval has no room for SV-2001, allowance SV-4001, a target that is asked too often
 * SV-5001.
 */
const saveNewCheck = async (
  context: SavingContext,
  writer: Writer,
  draft: NewCheck,
): Promise<Check | Refusal> => {
  const { type } = draft.config
  const saved = await write(context, writer, noted(context), async (tx) => {
    // the lock makes the count below hold until the insert: creates of one account wait in line
    const account = await lockAccount(tx, writer.accountId)
    if (account === null) return refuse('SV-1002')
    const unknown = await refuseUnknownAgent(tx, account.id, draft.regions)
    if (unknown !== null) return unknown
    const tier = context.rules.tiers[account.tier]
    const intervalSeconds = newInterval(account, tier, draft)
    if (isRefusal(intervalSeconds)) return intervalSeconds
    const tooLong = refuseLongTimeout(draft.config, intervalSeconds)
    if (tooLong !== null) return tooLong
    if ((await countChecks(tx, account.id)) >= tier.monitors) {
      return refuse('SV-4001', {
        message: `The ${account.tier} tier allows ${tier.monitors} checks, and the account has as many.`,
      })
    }
    const nowMs = context.now()
    const check: CheckWithState = {
      ...draft,
      id: uuidv7(nowMs),
      accountId: account.id,
      type,
      intervalSeconds,
      revision: 1,
      validFromMs: nowMs,
      createdAtMs: nowMs,
      updatedAtMs: nowMs,
      state: newCheckState,
    }
    const busy = await refuseBusyTarget(tx, check, null, context)
    if (busy !== null) return busy
    await insertCheck(tx, check)
    if (type === 'heartbeat') await insertHeartbeat(tx, check.id)
    await insertRevision(tx, check)
    await notifyCheckChanged(tx, check.id)
    return check
  })
  if (isRefusal(saved)) return saved
  context.runs.start(saved)
  return describeCheck(saved, context.now())
}

const noted = ({ now }: Pick<AccountContext, 'now'>): WriteName<CheckWithState> => ({
  action: 'createCheck',
  resourceType: 'check',
  resourceId: ({ id }) => id,
  answer: (check) => describeCheck(check, now()),
})
