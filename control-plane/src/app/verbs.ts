import type { Refusal } from '@probe-mesh/contracts/schema/refusal'
import type { RouteInput, RouteName, RouteOutput } from '@probe-mesh/contracts/api/routes'
import type { Caller } from '../accounts/operations/context.ts'
import type { AppContext } from './app-parts.ts'
import { getObjective, listObjectives } from '../objectives/objectives.ts'
import { acknowledgeAlert, listAlerts, resolveAlert, snoozeAlert } from '../alerts/open-alerts.ts'
import { addIncidentUpdate, createIncident, getIncident, listIncidents } from '../incidents/incidents.ts'
import {
  cancelMaintenance,
  createMaintenance,
  endMaintenance,
  updateMaintenance,
} from '../maintenance/change-maintenance.ts'
import { createAgent, getAgent, listAgents, revokeAgent, rotateAgent } from '../agents/agent-operations.ts'
import {
  createChannel,
  deleteChannel,
  getChannel,
  listChannels,
  updateChannel,
} from '../notifications/channels/channels.ts'
import { createCheck } from '../checks/create-check.ts'
import {
  createComponent,
  deleteComponent,
  getComponent,
  listComponents,
  updateComponent,
} from '../status-pages/components.ts'
import {
  createStatusPage,
  deleteStatusPage,
  getStatusPage,
  listStatusPages,
  updateStatusPage,
} from '../status-pages/status-pages.ts'
import { deleteCheck } from '../checks/delete-check.ts'
import { getActiveMaintenance, getMaintenance, listMaintenance } from '../maintenance/read-maintenance.ts'
import { getCheck } from '../checks/get-check.ts'
import { errorVerbs } from '@probe-mesh/error-tracking/feature'
import { getMe } from '../login/get-me.ts'
import { getSeries } from '../readings/get-series.ts'
import { listChecks } from '../checks/list/list-checks.ts'
import { listHeartbeatRuns } from '../heartbeats/heartbeat-runs.ts'
import { listReadings } from '../readings/list-readings.ts'
import { planChecks } from '../checks/plan-checks.ts'
import { replaceCheck } from '../checks/replace-check.ts'
import { runCheck } from '../checks/run-check.ts'
import { testChannel } from '../notifications/channels/test-channel.ts'
import { updateCheckAssertions, updateCheckRegions } from '../checks/update-check.ts'

export type Verb<N extends RouteName> = (
  context: AppContext,
  caller: Caller,
  input: RouteInput<N>,
) => Promise<RouteOutput<N> | Refusal>

/** The operation of each route of the table. */
export const verbs: { readonly [N in RouteName]: Verb<N> } = {
  listChecks,
  createCheck,
  planChecks,
  getCheck,
  updateCheckRegions,
  updateCheckAssertions,
  replaceCheck,
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
  listAlerts,
  acknowledgeAlert,
  snoozeAlert,
  resolveAlert,
  listObjectives,
  getObjective,
  ...errorVerbs,
  listAgents,
  createAgent,
  getAgent,
  rotateAgent,
  revokeAgent,
  getMe,
}
