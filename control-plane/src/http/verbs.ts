import type { Refusal } from '@probe-mesh/contracts/refusal'
import type { RouteInput, RouteName, RouteOutput } from '@probe-mesh/contracts/routes'
import type { AccountContext, Caller } from '../account/context.ts'
import { createCheck } from '../account/create-check.ts'
import { deleteCheck } from '../account/delete-check.ts'
import { getCheck } from '../account/get-check.ts'
import { getMe } from '../account/get-me.ts'
import { getSeries } from '../account/get-series.ts'
import { listChecks } from '../account/list-checks.ts'
import { listHeartbeatRuns } from '../account/list-heartbeat-runs.ts'
import { listReadings } from '../account/list-readings.ts'
import { runCheck } from '../account/run-check.ts'
import { updateCheckAssertions } from '../account/update-check-assertions.ts'
import { updateCheckRegions } from '../account/update-check-regions.ts'

export type Verb<N extends RouteName> = (
  context: AccountContext,
  caller: Caller,
  input: RouteInput<N>,
) => Promise<RouteOutput<N> | Refusal>

/** What each route of the table does. */
export const verbs: { readonly [N in RouteName]: Verb<N> } = {
  listChecks,
  createCheck,
  getCheck,
  updateCheckRegions,
  updateCheckAssertions,
  deleteCheck,
  runCheck,
  listReadings,
  listHeartbeatRuns,
  getSeries,
  getMe,
}
