import { isRefusal, refuse } from '@probe-mesh/contracts/schema/refusal'
import type { Refusal } from '@probe-mesh/contracts/schema/refusal'
import type { RouteInput } from '@probe-mesh/contracts/api/routes'
import { findCheck } from '../check-record/checks-store.ts'
import type { Caller } from '../operations/context.ts'
import type { CheckContext } from './check-context.ts'
import type { RunAnswers } from './manual-runs.ts'
import { refuseBusyRun } from '../targets/refuse-busy-target.ts'
import { write } from '../operations/write.ts'

/**
 * Measures now, from every region at once. A region without a running agent, or one that does not
 * answer within its two attempts, is named in `unanswered`. A heartbeat is not probed: SV-3005. A host
 * that was asked by hand as often as may be in this minute: SV-5001 (S-215).
 */
export const runCheck = async (
  context: Pick<CheckContext, 'sql' | 'runs' | 'targets' | 'rules' | 'now'>,
  caller: Caller,
  input: RouteInput<'runCheck'>,
): Promise<RunAnswers | Refusal> => {
  const { id } = input.params
  const name = { action: 'runCheck', resourceType: 'check', resourceId: () => id }
  const asked = await write(context, caller, name, async (tx) => {
    const check = await findCheck(tx, caller.accountId, id)
    if (check === null) return refuse('SV-3001')
    if (check.type === 'heartbeat') return refuse('SV-3005', { message: heartbeatWaits })
    return (await refuseBusyRun(check, context)) ?? check
  })
  return isRefusal(asked) ? asked : context.runs.ask(asked)
}

const heartbeatWaits =
  'This is a heartbeat check. Nothing probes it, so it cannot be run: it waits for pings.'
