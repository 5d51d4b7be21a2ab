import { refuse } from '@probe-mesh/contracts/schema/refusal'
import type { Refusal } from '@probe-mesh/contracts/schema/refusal'
import type { RouteInput } from '@probe-mesh/contracts/api/routes'
import { runsPageDefault } from '@probe-mesh/contracts/heartbeat/heartbeat'
import type { Run } from '@probe-mesh/contracts/heartbeat/heartbeat'
import { describeRun } from './describe-heartbeat.ts'
import { findCheck } from '../check-record/checks-store.ts'
import { findRuns } from './heartbeat-runs-store.ts'
import { inAccount } from '../stores/postgres/in-account.ts'
import type { AccountContext, Caller } from '../operations/context.ts'

/** Runs, newest first (S-608). A check of another type exists and has no runs. */
export const listHeartbeatRuns = async (
  context: Pick<AccountContext, 'sql'>,
  caller: Caller,
  input: RouteInput<'listHeartbeatRuns'>,
): Promise<{ runs: Run[] } | Refusal> => {
  const { id } = input.params
  const runs = await inAccount(context.sql, caller.accountId, async (tx) => {
    const check = await findCheck(tx, caller.accountId, id)
    return check === null ? null : findRuns(tx, id, input.query.limit ?? runsPageDefault)
  })
  return runs === null ? refuse('SV-3001') : { runs: runs.map(describeRun) }
}
