import { isRefusal, refuse, type Refusal } from '@probe-mesh/contracts/schema/refusal'
import type { RouteInput } from '@probe-mesh/contracts/api/routes'
import { findCheck } from '../records/check/checks-store.ts'
import type { Caller, AccountContext, SaveRules, Writer } from '../accounts/operations/context.ts'
import type { CheckContext } from './check-context.ts'
import type { RunAnswers, ManualRuns } from './manual-runs.ts'
import { refuseBusyRun } from '../targets/refuse-busy-target.ts'
import { write } from '../accounts/operations/write.ts'
import { uuidv7 } from '@probe-mesh/contracts/schema/ids'
import { limits } from '@probe-mesh/contracts/schema/limits'
import { agentPools } from '@probe-mesh/contracts/agent/agent-pools'
import type { Tier } from '@probe-mesh/contracts/account/tiers'
import type { Trial } from '@probe-mesh/contracts/check/trial'
import type { Place } from '@probe-mesh/runtime/fair-pool'
import type { CheckRecord } from '../records/check/check-record.ts'
import { findAccount } from '../accounts/accounts-store.ts'
import { draftAnyCheck, type NewCheck } from './draft-check.ts'
import { newInterval, refuseLongTimeout } from './check-interval.ts'
import { refuseUnknownAgent } from '../agents/refuse-unknown-agent.ts'
import { settleRequests } from './requests/settle-requests.ts'
import type { UnsavedSecrets } from '../secrets/seal-assignments.ts'

/**
 * Measures a check now, from every region. `unanswered` lists regions without a running agent and regions
 * that did not answer within two attempts. SV-3005 for a heartbeat; SV-5001 if the host's manual runs of this
 * minute are used up (S-215).
 */
export const runCheck = async (
  context: Pick<CheckContext, 'sql' | 'runs' | 'targets' | 'rules' | 'now'>,
  caller: Caller,
  input: RouteInput<'runCheck'>,
): Promise<RunAnswers | Refusal> => {
  const { id } = input.params
  const name = { action: 'runCheck', resourceType: 'check', resourceId: () => id }
  const found = await write(context, caller, name, async (tx) => {
    const check = await findCheck(tx, caller.accountId, id)
    if (check === null) return refuse('SV-3001')
    if (check.type === 'heartbeat') return refuse('SV-3005', { message: heartbeatCannotRun })
    return (await refuseBusyRun(check, context)) ?? check
  })
  return isRefusal(found) ? found : context.runs.request(found)
}

const heartbeatCannotRun =
  'A heartbeat check has no target to probe and cannot be run. It waits for pings from the job.'

type TrialContext = Pick<CheckContext, 'sql' | 'targets' | 'now'> & {
  readonly rules: SaveRules & Pick<AccountContext['rules'], 'vantage'>
  readonly runs: Pick<ManualRuns, 'request' | 'reserveTrial'>
}

/**
 * Measures an unsaved check once, from every region. Its readings travel like any other, and are dropped on
 * arrival because no check has their id. Refused like a create, except for the check limit. SV-3005 for a
 * heartbeat; SV-5001 if the host's manual runs of this minute are used up; SV-6002 if the account has too
 * many trials running (S-216).
 * @param body as it was sent, an input of `createCheck` or `createTypedCheck`
 */
export const tryCheck = async (
  context: TrialContext,
  writer: Writer,
  body: unknown,
): Promise<Trial | Refusal> => {
  const { rules, runs, now } = context
  const draft = draftAnyCheck(body, { rules, accountId: writer.accountId })
  if (isRefusal(draft)) return draft
  if (draft.config.type === 'heartbeat') return refuse('SV-3005', { message: heartbeatCannotBeTried })
  const name = {
    action: 'tryCheck',
    resourceType: 'check',
    resourceId: ({ id }: CheckRecord) => id,
  }
  const held: { place: Place | null; freeTrial: boolean; unsaved: UnsavedSecrets } = {
    place: null,
    freeTrial: false,
    unsaved: {},
  }
  const prepare = async (): Promise<CheckRecord | Refusal> =>
    write(context, writer, name, async (tx) => {
      const account = await findAccount(tx, writer.accountId)
      if (account === null) return refuse('SV-1002')
      // only agents of this account
      const unknown = await refuseUnknownAgent(tx, account.id, draft.regions)
      if (unknown !== null) return unknown
      const intervalSeconds = newInterval(account, rules.tiers[account.tier], draft)
      if (isRefusal(intervalSeconds)) return intervalSeconds
      const tooLong = refuseLongTimeout(draft.config, intervalSeconds)
      if (tooLong !== null) return tooLong
      const settled = await settleRequests(tx, writer, { ...draft, accountId: account.id })
      if (isRefusal(settled)) return settled
      held.unsaved = Object.fromEntries(
        settled.found.map(({ name, value, hosts }) => [name, { value, hosts: [...hosts] }]),
      )
      const tried = { ...draft, config: settled.config }
      const check = recordOf(tried, { accountId: account.id, intervalSeconds, nowMs: now() })
      held.freeTrial = account.tier === 'free'
      const place = held.place ?? runs.reserveTrial(account, check)
      if (typeof place === 'string') return refuseTrial(place, account.tier)
      held.place = place
      return (await refuseBusyRun(check, context)) ?? check
    })
  try {
    const prepared = await prepare()
    return isRefusal(prepared)
      ? prepared
      : {
          ...(await runs.request(prepared, {
            freeTrial: held.freeTrial,
            unsaved: held.unsaved,
            excerpt: true,
          })),
          vantage: prepared.private ? 'regional' : rules.vantage,
        }
  } finally {
    held.place?.release()
  }
}

const refuseTrial = (why: 'share' | 'browsers', tier: Tier): Refusal => {
  if (why === 'browsers')
    return refuse('SV-6002', {
      message: browserTrialsInUse,
      retryAfterSeconds: retryBrowserAfterSeconds,
    })
  const { placesOfOwner } = (tier === 'free' ? agentPools.freeTrials : agentPools.trials).bounds
  const message = `The limit of ${placesOfOwner} trials at a time is reached. Wait for one to end.`
  return refuse('SV-6002', { message, retryAfterSeconds })
}

/** The longest attempt of a check that sends requests. */
const retryAfterSeconds = limits.attemptMsMax / 1_000
/** The longest attempt of a browser check. */
const retryBrowserAfterSeconds = limits.browserAttemptMsMax / 1_000

const browserTrialsInUse =
  `All free accounts together can run ${agentPools.freeBrowserTrials.bounds.places} trials of browser checks at a time, ` +
  `${agentPools.freeBrowserTrials.bounds.placesOfOwner} each. None is available. Wait for one to end, or save the check and run it.`

/** A check record for agents: with an id of its own, and not paused. */
const recordOf = (
  draft: NewCheck,
  more: { accountId: string; intervalSeconds: number; nowMs: number },
): CheckRecord => ({
  ...draft,
  id: uuidv7(more.nowMs),
  accountId: more.accountId,
  type: draft.config.type,
  intervalSeconds: more.intervalSeconds,
  paused: false,
  revision: 1,
  validFromMs: more.nowMs,
  createdAtMs: more.nowMs,
  updatedAtMs: more.nowMs,
})

const heartbeatCannotBeTried =
  'A heartbeat check has no target to probe and cannot be tried. It waits for pings from the job.'
