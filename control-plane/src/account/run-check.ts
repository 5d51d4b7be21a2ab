import { refuse } from '@probe-mesh/contracts/refusal'
import type { Refusal } from '@probe-mesh/contracts/refusal'
import type { RouteInput } from '@probe-mesh/contracts/routes'
import { findCheck } from '../postgres/checks.ts'
import type { AccountContext, Caller } from './context.ts'
import type { RunAnswers } from './manual-runs.ts'

/**
 * Measures now, from every region at once. A region without a running agent, or one that does not
 * answer within its two attempts, is named in `unanswered`. A heartbeat is not probed: SV-3005.
 */
export const runCheck = async (
  context: Pick<AccountContext, 'sql' | 'runs'>,
  caller: Caller,
  input: RouteInput<'runCheck'>,
): Promise<RunAnswers | Refusal> => {
  const check = await findCheck(context.sql, caller.accountId, input.params.id)
  if (check === null) return refuse('SV-3001')
  if (check.type === 'heartbeat') return refuse('SV-3005', { message: heartbeatWaits })
  return context.runs.ask(check)
}

const heartbeatWaits =
  'This is a heartbeat check. Nothing probes it, so it cannot be run: it waits for pings.'
