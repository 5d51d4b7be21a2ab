import { toAssertions } from '@probe-mesh/contracts/assertions'
import type { Check } from '@probe-mesh/contracts/check'
import { uuidv7 } from '@probe-mesh/contracts/ids'
import { isRefusal, refuse } from '@probe-mesh/contracts/refusal'
import type { Refusal } from '@probe-mesh/contracts/refusal'
import type { RouteInput } from '@probe-mesh/contracts/routes'
import { targetProblem } from '@probe-mesh/contracts/target'
import { lockAccount } from '../postgres/accounts.ts'
import { insertRevision } from '../postgres/check-revisions.ts'
import { countChecks, insertCheck, notifyCheckChanged } from '../postgres/checks.ts'
import type { CheckRecord, CheckWithState } from '../checks/check-record.ts'
import { newCheckState } from '../status/state.ts'
import type { AccountContext, Caller } from './context.ts'
import { describeCheck } from './describe-check.ts'
import { resolveRegions } from './live-regions.ts'

/**
 * Creates an http check and asks every region for a first reading. Refused in this order: regions
 * that are not live SV-2001, unsafe target SV-5001, interval SV-4002, allowance SV-4001.
 */
export const createCheck = async (
  context: Pick<AccountContext, 'sql' | 'runs' | 'rules' | 'now'>,
  caller: Caller,
  input: RouteInput<'createCheck'>,
): Promise<Check | Refusal> => {
  const { rules } = context
  const { body } = input
  const resolved = resolveRegions(body.regions, rules.regions)
  if (!resolved.ok) return refuse('SV-2001', { errors: resolved.problems })
  const unsafe = targetProblem(body.url, { allow: rules.targetAllow })
  if (unsafe !== null) {
    return refuse('SV-5001', {
      message: `Unsafe target (${unsafe.rule}): ${unsafe.message}.`,
      errors: [{ path: 'url', message: unsafe.message }],
    })
  }

  const created = await context.sql.begin(async (tx): Promise<CheckRecord | Refusal> => {
    // the lock makes the count below hold until the insert: creates of one account wait in line
    const account = await lockAccount(tx, caller.accountId)
    if (account === null) return refuse('SV-1002')
    const tier = rules.tiers[account.tier]
    const intervalSeconds = body.intervalSeconds ?? tier.intervalSecondsMin
    if (intervalSeconds < tier.intervalSecondsMin) {
      const message = `The ${account.tier} tier measures every ${tier.intervalSecondsMin} seconds or slower.`
      return refuse('SV-4002', { message, errors: [{ path: 'intervalSeconds', message }] })
    }
    if ((await countChecks(tx, account.id)) >= tier.monitors) {
      return refuse('SV-4001', {
        message: `The ${account.tier} tier allows ${tier.monitors} checks, and the account has as many.`,
      })
    }
    const nowMs = context.now()
    const check: CheckRecord = {
      id: uuidv7(nowMs),
      accountId: account.id,
      type: 'http',
      name: body.name,
      url: body.url,
      target: null,
      intervalSeconds,
      regions: resolved.regions,
      allRegions: resolved.allRegions,
      paused: false,
      private: false,
      assertions: toAssertions(body),
      config: { type: 'http' },
      revision: 1,
      validFromMs: nowMs,
      createdAtMs: nowMs,
      updatedAtMs: nowMs,
    }
    await insertCheck(tx, check)
    await insertRevision(tx, check)
    await notifyCheckChanged(tx, check.id)
    return check
  })
  if (isRefusal(created)) return created
  context.runs.start(created)
  const fresh: CheckWithState = { ...created, state: newCheckState }
  return describeCheck(fresh, context.now())
}
