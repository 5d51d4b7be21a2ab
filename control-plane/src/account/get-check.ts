import type { CheckDetail, Uptime } from '@probe-mesh/contracts/check'
import { refuse } from '@probe-mesh/contracts/refusal'
import type { Refusal } from '@probe-mesh/contracts/refusal'
import type { RouteInput } from '@probe-mesh/contracts/routes'
import { findCheck } from '../postgres/checks.ts'
import { findFlips } from '../postgres/flips.ts'
import { uptimeOf, uptimeWindowsMs } from '../status/uptime.ts'
import type { AccountContext, Caller } from './context.ts'
import { describeCheckDetail } from './describe-check.ts'

const noUptime: Uptime = { day: null, week: null, month: null, quarter: null }

/** One check with its status per region and as a whole, as both stand now. */
export const getCheck = async (
  context: Pick<AccountContext, 'sql' | 'uptimes' | 'rules' | 'now' | 'log'>,
  caller: Caller,
  input: RouteInput<'getCheck'>,
): Promise<CheckDetail | Refusal> => {
  const check = await findCheck(context.sql, caller.accountId, input.params.id)
  if (check === null) return refuse('SV-3001')
  const uptime = await uptimeOfCheck(context, check.id)
  return describeCheckDetail(check, { uptime, vantage: context.rules.vantage }, context.now())
}

/** Uptime moves slowly and costs a statement: it is kept for a while, and never fails the answer. */
const uptimeOfCheck = async (
  context: Pick<AccountContext, 'sql' | 'uptimes' | 'now' | 'log'>,
  checkId: string,
): Promise<Uptime> =>
  context.uptimes.peek(checkId) ??
  context.uptimes
    .load(checkId, '', async () => {
      const nowMs = context.now()
      const flips = await findFlips(context.sql, checkId, nowMs - uptimeWindowsMs.quarter)
      const uptime = uptimeOf(flips, nowMs)
      return { keep: uptime, value: uptime }
    })
    .catch((error: unknown) => {
      context.log.warn({ err: error, checkId }, 'uptime could not be read')
      return noUptime
    })
