import { isRefusal } from '@probe-mesh/contracts/schema/refusal'
import type { Refusal } from '@probe-mesh/contracts/schema/refusal'
import type {
  DashboardRouteName,
  DashboardRoutes,
} from '@probe-mesh/contracts/api/dashboard-routes'
import type { InputOf } from '@probe-mesh/contracts/schema/route'
import type { z } from 'zod'
import type { Caller } from '../operations/context.ts'
import type { AppContext } from './app-parts.ts'
import {
  createAlertRule,
  deleteAlertRule,
  listAlertRules,
  updateAlertRule,
} from '../alerts/alert-rules.ts'
import { createKey } from '../accounts/create-key.ts'
import { createTypedCheck } from '../checks/create-check.ts'
import { describeDelivery } from '../notifications/delivery-record.ts'
import { describeKey } from '../accounts/describe-key.ts'
import { editTypedCheck, replaceSteps } from '../checks/edit-typed-check.ts'
import { getCheckConfig } from '../checks/get-check.ts'
import {
  getSubscriber,
  listSubscribers,
  removeSubscriber,
} from '../subscribers/account-subscribers.ts'
import { listAudit } from '../accounts/list-audit.ts'
import { listCheckNames } from '../checks/check-names.ts'
import { listCheckPart } from '../checks/list-checks.ts'
import { listCheckTrends } from '../readings/list-check-trends.ts'
import { listDeliveries, retryDelivery } from '../notifications/deliveries.ts'
import { listKeys } from '../accounts/list-keys.ts'
import { listTiers } from '../accounts/list-tiers.ts'
import { releaseHeartbeat } from '../heartbeats/change-heartbeat.ts'
import { revokeKey } from '../accounts/revoke-key.ts'
import { tryCheck } from '../checks/run-check.ts'
import type { MeshContext } from '../mesh/get-mesh.ts'
import { getMesh } from '../mesh/get-mesh.ts'
import { getLedger } from '../mesh/ledger/get-ledger.ts'
import type { LoginContext, SessionOwner } from '../login/context.ts'
import { describeLogin } from '../login/describe-session.ts'
import { endOtherSessions, endSession } from '../login/end-session.ts'
import { listSessions } from '../login/list-sessions.ts'
import { errorAlertVerbs } from './error-alert-verbs.ts'
import { errorVerbs } from './error-verbs.ts'

/** Who asks: the user as callers are known, and the session. */
export type DashboardCaller = { caller: Caller; owner: SessionOwner; address: string }

export type DashboardContexts = {
  account: AppContext
  login: LoginContext
  mesh: MeshContext
}

type DashboardVerb<N extends DashboardRouteName> = (
  contexts: DashboardContexts,
  who: DashboardCaller,
  input: InputOf<DashboardRoutes[N]>,
) => Promise<z.output<DashboardRoutes[N]['output']> | Refusal>

export type DashboardVerbs = { readonly [N in DashboardRouteName]: DashboardVerb<N> }

/** What each route of the dashboard's own table does. */
export const dashboardVerbs: DashboardVerbs = {
  ...errorVerbs,
  ...errorAlertVerbs,

  getSession: async (_contexts, { owner }) => describeLogin(owner),
  listSessions: ({ login }, { owner }) => listSessions(login, owner),
  endSession: ({ login }, who, { params }) =>
    endSession(login, who.owner, who, { sessionId: params.id, action: 'endSession' }),
  endOtherSessions: ({ login }, who) => endOtherSessions(login, who.owner, who),

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
  createTypedCheck: ({ account }, { caller }, { body }) => createTypedCheck(account, caller, body),
  editTypedCheck: ({ account }, { caller }, { params, body }) =>
    editTypedCheck(account, caller, { checkId: params.id, body }),
  replaceSteps: ({ account }, { caller }, { params, body }) =>
    replaceSteps(account, caller, { checkId: params.id, body }),
  releaseHeartbeat: ({ account }, { caller }, input) => releaseHeartbeat(account, caller, input),
  tryCheck: ({ account }, { caller }, { body }) => tryCheck(account, caller, body),

  listCheckPart: ({ account }, { caller }, input) => listCheckPart(account, caller, input),
  listCheckNames: ({ account }, { caller }, input) => listCheckNames(account, caller, input),
  listCheckTrends: ({ account }, { caller }, input) => listCheckTrends(account, caller, input),

  listAlertRules: ({ account }, { caller }) => listAlertRules(account, caller),
  createAlertRule: ({ account }, { caller }, input) => createAlertRule(account, caller, input),
  updateAlertRule: ({ account }, { caller }, input) => updateAlertRule(account, caller, input),
  deleteAlertRule: ({ account }, { caller }, input) => deleteAlertRule(account, caller, input),

  listDeliveries: async ({ account }, { caller }, { query: { limit, state, before } }) => {
    const page = { limit, ...(state && { state }), ...(before && { before }) }
    const { deliveries } = await listDeliveries(account, caller, page)
    return { deliveries: deliveries.map(describeDelivery) }
  },
  retryDelivery: ({ account }, { caller }, { params }) => retryDelivery(account, caller, params),

  listSubscribers: ({ account }, { caller }, input) => listSubscribers(account, caller, input),
  getSubscriber: ({ account }, { caller }, input) => getSubscriber(account, caller, input),
  removeSubscriber: ({ account }, { caller }, input) => removeSubscriber(account, caller, input),

  listAudit: ({ account }, { caller }, input) => listAudit(account, caller, input),

  listTiers: ({ account }) => listTiers(account),

  getMesh: ({ mesh }) => getMesh(mesh),
  getLedger: ({ account }, { caller }, input) => getLedger(account, caller, input),
}

const byUser = ({ actor }: Caller): Pick<Caller, 'actor'> => ({ actor })
