import { errorOperations } from '@probe-mesh/error-tracking/feature'
import { isRefusal } from '@probe-mesh/contracts/schema/refusal'
import type { Caller } from '../accounts/operations/context.ts'
import { askAlertAddress } from '../alerts/alert-addresses.ts'
import { getCheckReceivers } from '../alerts/reach.ts'
import { createAlertRule, deleteAlertRule, listAlertRules, updateAlertRule } from '../alerts/alert-rules.ts'
import {
  createEscalationPolicy,
  deleteEscalationPolicy,
  listEscalationPolicies,
  updateEscalationPolicy,
} from '../on-call/policies.ts'
import {
  createSchedule,
  deleteSchedule,
  getSchedule,
  listSchedules,
  replaceCalendarAddress,
  updateSchedule,
} from '../on-call/schedules.ts'
import { createObjective, deleteObjective, updateObjective } from '../objectives/objectives.ts'
import { createSecret, deleteSecret, listSecrets, updateSecret } from '../secrets/secrets.ts'
import { deleteTelemetry, getTelemetry, updateTelemetry } from '../telemetry/telemetry.ts'
import { createKey, describeKey, listKeys, revokeKey } from '../accounts/keys.ts'
import { changeChecks } from './bulk-acts.ts'
import { getCheckCause } from '../checks/check-cause.ts'
import { getCheckNotes } from '../checks/check-notes.ts'
import { getStatusRule } from '../checks/status-rule.ts'
import { getCheckParents } from '../checks/check-parents.ts'
import { getCheckPause } from '../checks/pause-ends.ts'
import { cloneCheck } from '../checks/clone-check.ts'
import { readImport } from '../imports/imports.ts'
import { arrangeComponents } from '../status-pages/arrange-components.ts'
import { createPageIncident, updatePageIncident } from '../incidents/page-incidents.ts'
import { deleteLogo, getLogo, uploadLogo } from '../status-pages/logo/logos.ts'
import { createTypedCheck } from '../checks/create-check.ts'
import { describeDelivery } from '../notifications/delivery-record.ts'
import { editTypedCheck, replaceSteps } from '../checks/edit-typed-check.ts'
import { getCheckConfig } from '../checks/get-check.ts'
import { getSubscriber, listSubscribers, removeSubscriber } from '../subscribers/account-subscribers.ts'
import { listAudit } from '../accounts/list-audit.ts'
import { listCheckNames } from '../checks/list/check-names.ts'
import { listCheckPart } from '../checks/list/list-checks.ts'
import { createSavedFilter, deleteSavedFilter, listSavedFilters } from '../checks/list/saved-filters.ts'
import { getRegionSeries } from '../readings/get-region-series.ts'
import { listDeliveries, retryDelivery } from '../notifications/deliveries.ts'
import { listFailingChannels } from '../notifications/failing-channels.ts'
import { listTiers } from '../accounts/list-tiers.ts'
import { getOutage, listOutages } from '../overview/outages/list-outages.ts'
import { getCounts } from '../overview/get-counts.ts'
import { getOverview } from '../overview/get-overview.ts'
import { listPaletteEntries } from '../overview/list-palette-entries.ts'
import { releaseHeartbeat } from '../heartbeats/change-heartbeat.ts'
import { tryCheck } from '../checks/run-check.ts'
import { replayStatusRule } from '../mesh/replay/replay-status-rule.ts'
import { getMesh } from '../mesh/get-mesh.ts'
import { getLedger } from '../mesh/ledger/get-ledger.ts'
import { getLedgerHours } from '../mesh/ledger/get-ledger-hours.ts'
import { describeLogin, endOtherSessions, endSession, listSessions } from '../login/sessions.ts'
import { inviteMember } from '../login/invite-member.ts'
import { getProfile, updateAccount, updateProfile } from '../login/profile.ts'
import { listMembers, removeMember, revokeInvitation } from '../login/members.ts'
import type { AccountOperations, DashboardOperations } from './dashboard-operation.ts'

/** The operations of routes that need only the account. */
export const accountOperations = {
  ...errorOperations,
  revokeInvitation,
  removeMember,
  getCheckConfig,
  getCheckNotes,
  getStatusRule,
  getCheckPause,
  getCheckParents,
  readImport,
  releaseHeartbeat,
  listCheckPart,
  listCheckNames,
  listSavedFilters,
  createSavedFilter,
  deleteSavedFilter,
  getRegionSeries,
  listPaletteEntries,
  listOutages,
  getOutage,
  listAlertRules,
  listSchedules,
  getSchedule,
  createSchedule,
  replaceCalendarAddress,
  updateSchedule,
  deleteSchedule,
  getTelemetry,
  updateTelemetry,
  deleteTelemetry,
  createObjective,
  updateObjective,
  deleteObjective,
  listSecrets,
  createSecret,
  updateSecret,
  deleteSecret,
  listEscalationPolicies,
  createEscalationPolicy,
  updateEscalationPolicy,
  deleteEscalationPolicy,
  deleteAlertRule,
  getCheckReceivers,
  listFailingChannels,
  arrangeComponents,
  createPageIncident,
  updatePageIncident,
  getLogo,
  uploadLogo,
  deleteLogo,
  listSubscribers,
  getSubscriber,
  removeSubscriber,
  listAudit,
  getLedger,
  getLedgerHours,
} satisfies AccountOperations

/** The operation of each other route of the dashboard. */
export const dashboardOperations: Omit<DashboardOperations, keyof typeof accountOperations> = {
  getSession: async (_contexts, { owner }) => describeLogin(owner),
  listSessions: ({ login }, { owner }) => listSessions(login, owner),
  endSession: ({ login }, who, { params }) =>
    endSession(login, who.owner, who, { sessionId: params.id, action: 'endSession' }),
  endOtherSessions: ({ login }, who) => endOtherSessions(login, who.owner, who),

  listMembers: ({ account, login }, { caller, owner }) =>
    listMembers(account, caller, { userId: owner.session.userId, sendsMail: login.sendsMail }),
  inviteMember: ({ account, login }, { caller, owner }, { body }) =>
    inviteMember({ account, login }, caller, owner.email, body),

  getProfile: ({ account }, { caller, owner }) =>
    getProfile(account, { caller, userId: owner.session.userId }),
  updateProfile: ({ account }, { caller, owner }, { body }) =>
    updateProfile(account, { caller, userId: owner.session.userId }, body),
  updateAccount: ({ account }, { caller, owner }, { body }) =>
    updateAccount(account, { caller, userId: owner.session.userId }, body),

  listKeys: async ({ account }, { caller }) => {
    const keys = await listKeys(account, caller)
    return isRefusal(keys) ? keys : { keys: keys.map(describeKey) }
  },
  createKey: async ({ account }, { caller }, { body }) => {
    const made = await createKey(account, { accountId: caller.accountId, ...body }, byUser(caller))
    return isRefusal(made) ? made : { apiKey: made.apiKey, key: describeKey(made.key) }
  },
  revokeKey: async ({ account }, { caller }, { params }) => {
    const { accountId } = caller
    const key = await revokeKey(account, { keyId: params.id, accountId }, byUser(caller))
    return isRefusal(key) ? key : describeKey(key)
  },

  replayStatusRule: ({ account, mesh }, { caller }, input) =>
    replayStatusRule({ ...account, meshSql: mesh.sql }, caller, input),
  getCheckCause: ({ account, incidents }, { caller }, input) =>
    getCheckCause(account, caller, input, incidents()),
  createTypedCheck: ({ account }, { caller }, { body }) => createTypedCheck(account, caller, body),
  editTypedCheck: ({ account }, { caller }, { params, body }) =>
    editTypedCheck(account, caller, { checkId: params.id, body }),
  replaceSteps: ({ account }, { caller }, { params, body }) =>
    replaceSteps(account, caller, { checkId: params.id, body }),
  cloneCheck: ({ account }, { caller }, { params }) => cloneCheck(account, caller, { checkId: params.id }),
  changeChecks: ({ account }, { caller }, { body }) => changeChecks(account, caller, body),
  tryCheck: ({ account }, { caller }, { body }) => tryCheck(account, caller, body),

  getOverview: ({ account, mesh }, { caller }) => getOverview(account, mesh, caller),
  getCounts: async ({ account }, { caller }) => ({
    ...(await getCounts(account, caller)),
    nothingMeasured: account.rules.isNothingMeasured?.() ?? false,
  }),

  createAlertRule: ({ account, login: { throttle } }, { caller }, input) =>
    createAlertRule({ ...account, throttle }, caller, input),
  updateAlertRule: ({ account, login: { throttle } }, { caller }, input) =>
    updateAlertRule({ ...account, throttle }, caller, input),

  askAlertAddress: ({ account, login: { throttle } }, { caller }, input) =>
    askAlertAddress({ ...account, throttle }, caller, input),

  listDeliveries: async ({ account }, { caller, owner }, { query: { limit, state, before } }) => {
    const page = { limit, ...(state && { state }), ...(before && { before }) }
    const { deliveries } = await listDeliveries(account, caller, page)
    return { deliveries: deliveries.map((each) => describeDelivery(each, owner.email)) }
  },
  retryDelivery: ({ account }, { caller }, { params }) => retryDelivery(account, caller, params),

  listTiers: ({ account }) => listTiers(account),

  getMesh: ({ mesh }) => getMesh(mesh),
}

const byUser = ({ actor, claim }: Caller): Pick<Caller, 'actor' | 'claim'> => ({
  actor,
  ...(claim !== undefined && { claim }),
})
