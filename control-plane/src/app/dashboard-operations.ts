import { errorAlertOperations, errorOperations } from './error-operations.ts'
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
import type { DashboardOperations } from './dashboard-operation.ts'

/** The operation of each route of the dashboard. */
export const dashboardOperations: DashboardOperations = {
  ...errorOperations,
  ...errorAlertOperations,

  getSession: async (_contexts, { owner }) => describeLogin(owner),
  listSessions: ({ login }, { owner }) => listSessions(login, owner),
  endSession: ({ login }, who, { params }) =>
    endSession(login, who.owner, who, { sessionId: params.id, action: 'endSession' }),
  endOtherSessions: ({ login }, who) => endOtherSessions(login, who.owner, who),

  listMembers: ({ account, login }, { caller, owner }) =>
    listMembers(account, caller, { userId: owner.session.userId, sendsMail: login.sendsMail }),
  inviteMember: ({ account, login }, { caller, owner }, { body }) =>
    inviteMember({ account, login }, caller, owner.email, body),
  revokeInvitation: ({ account }, { caller }, input) => revokeInvitation(account, caller, input),
  removeMember: ({ account }, { caller }, input) => removeMember(account, caller, input),

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

  getCheckConfig: ({ account }, { caller }, input) => getCheckConfig(account, caller, input),
  getCheckNotes: ({ account }, { caller }, input) => getCheckNotes(account, caller, input),
  replayStatusRule: ({ account, mesh }, { caller }, input) =>
    replayStatusRule({ ...account, meshSql: mesh.sql }, caller, input),
  getStatusRule: ({ account }, { caller }, input) => getStatusRule(account, caller, input),
  getCheckPause: ({ account }, { caller }, input) => getCheckPause(account, caller, input),
  getCheckParents: ({ account }, { caller }, input) => getCheckParents(account, caller, input),
  getCheckCause: ({ account, incidents }, { caller }, input) =>
    getCheckCause(account, caller, input, incidents()),
  createTypedCheck: ({ account }, { caller }, { body }) => createTypedCheck(account, caller, body),
  editTypedCheck: ({ account }, { caller }, { params, body }) =>
    editTypedCheck(account, caller, { checkId: params.id, body }),
  replaceSteps: ({ account }, { caller }, { params, body }) =>
    replaceSteps(account, caller, { checkId: params.id, body }),
  cloneCheck: ({ account }, { caller }, { params }) => cloneCheck(account, caller, { checkId: params.id }),
  readImport: ({ account }, { caller }, input) => readImport(account, caller, input),
  changeChecks: ({ account }, { caller }, { body }) => changeChecks(account, caller, body),
  releaseHeartbeat: ({ account }, { caller }, input) => releaseHeartbeat(account, caller, input),
  tryCheck: ({ account }, { caller }, { body }) => tryCheck(account, caller, body),

  listCheckPart: ({ account }, { caller }, input) => listCheckPart(account, caller, input),
  listCheckNames: ({ account }, { caller }, input) => listCheckNames(account, caller, input),
  listSavedFilters: ({ account }, { caller }) => listSavedFilters(account, caller),
  createSavedFilter: ({ account }, { caller }, input) => createSavedFilter(account, caller, input),
  deleteSavedFilter: ({ account }, { caller }, input) => deleteSavedFilter(account, caller, input),
  getRegionSeries: ({ account }, { caller }, input) => getRegionSeries(account, caller, input),

  getOverview: ({ account, mesh }, { caller }) => getOverview(account, mesh, caller),
  getCounts: async ({ account }, { caller }) => ({
    ...(await getCounts(account, caller)),
    nothingMeasured: account.rules.isNothingMeasured?.() ?? false,
  }),
  listPaletteEntries: ({ account }, { caller }) => listPaletteEntries(account, caller),

  listOutages: ({ account }, { caller }, input) => listOutages(account, caller, input),
  getOutage: ({ account }, { caller }, input) => getOutage(account, caller, input),

  listAlertRules: ({ account }, { caller }) => listAlertRules(account, caller),
  createAlertRule: ({ account, login: { throttle } }, { caller }, input) =>
    createAlertRule({ ...account, throttle }, caller, input),
  updateAlertRule: ({ account, login: { throttle } }, { caller }, input) =>
    updateAlertRule({ ...account, throttle }, caller, input),
  listSchedules: ({ account }, { caller }) => listSchedules(account, caller),
  getSchedule: ({ account }, { caller }, input) => getSchedule(account, caller, input),
  createSchedule: ({ account }, { caller }, input) => createSchedule(account, caller, input),
  replaceCalendarAddress: ({ account }, { caller }, input) => replaceCalendarAddress(account, caller, input),
  updateSchedule: ({ account }, { caller }, input) => updateSchedule(account, caller, input),
  deleteSchedule: ({ account }, { caller }, input) => deleteSchedule(account, caller, input),
  getTelemetry: ({ account }, { caller }) => getTelemetry(account, caller),
  updateTelemetry: ({ account }, { caller }, input) => updateTelemetry(account, caller, input),
  deleteTelemetry: ({ account }, { caller }) => deleteTelemetry(account, caller),
  createObjective: ({ account }, { caller }, input) => createObjective(account, caller, input),
  updateObjective: ({ account }, { caller }, input) => updateObjective(account, caller, input),
  deleteObjective: ({ account }, { caller }, input) => deleteObjective(account, caller, input),
  listSecrets: ({ account }, { caller }) => listSecrets(account, caller),
  createSecret: ({ account }, { caller }, input) => createSecret(account, caller, input),
  updateSecret: ({ account }, { caller }, input) => updateSecret(account, caller, input),
  deleteSecret: ({ account }, { caller }, input) => deleteSecret(account, caller, input),
  listEscalationPolicies: ({ account }, { caller }) => listEscalationPolicies(account, caller),
  createEscalationPolicy: ({ account }, { caller }, input) => createEscalationPolicy(account, caller, input),
  updateEscalationPolicy: ({ account }, { caller }, input) => updateEscalationPolicy(account, caller, input),
  deleteEscalationPolicy: ({ account }, { caller }, input) => deleteEscalationPolicy(account, caller, input),

  deleteAlertRule: ({ account }, { caller }, input) => deleteAlertRule(account, caller, input),
  askAlertAddress: ({ account, login: { throttle } }, { caller }, input) =>
    askAlertAddress({ ...account, throttle }, caller, input),
  getCheckReceivers: ({ account }, { caller }, input) => getCheckReceivers(account, caller, input),

  listDeliveries: async ({ account }, { caller, owner }, { query: { limit, state, before } }) => {
    const page = { limit, ...(state && { state }), ...(before && { before }) }
    const { deliveries } = await listDeliveries(account, caller, page)
    return { deliveries: deliveries.map((each) => describeDelivery(each, owner.email)) }
  },
  listFailingChannels: ({ account }, { caller }) => listFailingChannels(account, caller),
  retryDelivery: ({ account }, { caller }, { params }) => retryDelivery(account, caller, params),

  arrangeComponents: ({ account }, { caller }, input) => arrangeComponents(account, caller, input),

  createPageIncident: ({ account }, { caller }, input) => createPageIncident(account, caller, input),
  updatePageIncident: ({ account }, { caller }, input) => updatePageIncident(account, caller, input),

  getLogo: ({ account }, { caller }, input) => getLogo(account, caller, input),
  uploadLogo: ({ account }, { caller }, input) => uploadLogo(account, caller, input),
  deleteLogo: ({ account }, { caller }, input) => deleteLogo(account, caller, input),

  listSubscribers: ({ account }, { caller }, input) => listSubscribers(account, caller, input),
  getSubscriber: ({ account }, { caller }, input) => getSubscriber(account, caller, input),
  removeSubscriber: ({ account }, { caller }, input) => removeSubscriber(account, caller, input),

  listAudit: ({ account }, { caller }, input) => listAudit(account, caller, input),

  listTiers: ({ account }) => listTiers(account),

  getMesh: ({ mesh }) => getMesh(mesh),
  getLedger: ({ account }, { caller }, input) => getLedger(account, caller, input),
  getLedgerHours: ({ account }, { caller }) => getLedgerHours(account, caller),
}

const byUser = ({ actor, claim }: Caller): Pick<Caller, 'actor' | 'claim'> => ({
  actor,
  ...(claim !== undefined && { claim }),
})
