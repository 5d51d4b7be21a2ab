import type { Refusal } from '@probe-mesh/contracts/refusal'
import type { RouteInput, RouteName, RouteOutput } from '@probe-mesh/contracts/routes'
import type { AccountContext, Caller } from '../account/context.ts'
import { addIncidentUpdate } from '../account/add-incident-update.ts'
import { cancelMaintenance } from '../account/cancel-maintenance.ts'
import { createAgent } from '../account/create-agent.ts'
import { createChannel } from '../account/create-channel.ts'
import { createCheck } from '../account/create-check.ts'
import { createComponent } from '../account/create-component.ts'
import { createIncident } from '../account/create-incident.ts'
import { createMaintenance } from '../account/create-maintenance.ts'
import { createStatusPage } from '../account/create-status-page.ts'
import { deleteChannel } from '../account/delete-channel.ts'
import { deleteCheck } from '../account/delete-check.ts'
import { deleteComponent } from '../account/delete-component.ts'
import { deleteStatusPage } from '../account/delete-status-page.ts'
import { endMaintenance } from '../account/end-maintenance.ts'
import { getActiveMaintenance } from '../account/get-active-maintenance.ts'
import { getChannel } from '../account/get-channel.ts'
import { getCheck } from '../account/get-check.ts'
import { getComponent } from '../account/get-component.ts'
import { getErrorIssue } from '../account/get-error-issue.ts'
import { getIncident } from '../account/get-incident.ts'
import { getMaintenance } from '../account/get-maintenance.ts'
import { getMe } from '../account/get-me.ts'
import { getSeries } from '../account/get-series.ts'
import { getStatusPage } from '../account/get-status-page.ts'
import { listAgents } from '../account/list-agents.ts'
import { listChannels } from '../account/list-channels.ts'
import { listChecks } from '../account/list-checks.ts'
import { listComponents } from '../account/list-components.ts'
import { listErrorIssues } from '../account/list-error-issues.ts'
import { listErrorProjects } from '../account/list-error-projects.ts'
import { listHeartbeatRuns } from '../account/list-heartbeat-runs.ts'
import { listIncidents } from '../account/list-incidents.ts'
import { listMaintenance } from '../account/list-maintenance.ts'
import { listReadings } from '../account/list-readings.ts'
import { listStatusPages } from '../account/list-status-pages.ts'
import { revokeAgent } from '../account/revoke-agent.ts'
import { rotateAgent } from '../account/rotate-agent.ts'
import { runCheck } from '../account/run-check.ts'
import { testChannel } from '../account/test-channel.ts'
import { updateChannel } from '../account/update-channel.ts'
import { updateCheckAssertions } from '../account/update-check-assertions.ts'
import { updateCheckRegions } from '../account/update-check-regions.ts'
import { updateComponent } from '../account/update-component.ts'
import { updateMaintenance } from '../account/update-maintenance.ts'
import { updateStatusPage } from '../account/update-status-page.ts'

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
  listStatusPages,
  listStatus: listStatusPages,
  createStatusPage,
  getStatusPage,
  updateStatusPage,
  deleteStatusPage,
  listComponents,
  createComponent,
  getComponent,
  updateComponent,
  deleteComponent,
  listIncidents,
  createIncident,
  getIncident,
  addIncidentUpdate,
  getActiveMaintenance,
  createMaintenance,
  endMaintenance,
  listMaintenance,
  getMaintenance,
  updateMaintenance,
  cancelMaintenance,
  listChannels,
  createChannel,
  getChannel,
  updateChannel,
  deleteChannel,
  testChannel,
  listErrorProjects,
  listErrorIssues,
  getErrorIssue,
  listAgents,
  createAgent,
  rotateAgent,
  revokeAgent,
  getMe,
}
