import { tiersDefault, type Tier, type TierLimits } from '@probe-mesh/contracts/account/tiers'
import type { FastifyInstance } from 'fastify'
import { freshFor } from './api/fresh-for.ts'
import { bindAssets } from './http/assets.ts'
import { bindMemberPages, bindPlainPages } from './http/bind-pages.ts'
import { bindPublicPages } from './http/bind-public-pages.ts'
import { compressPages } from './http/compress.ts'
import { failuresAsPages } from './http/failures-as-pages.ts'
import { acceptForms } from './http/form-body.ts'
import { bindMissingPages } from './http/missing-pages.ts'
import { readGuides, readOpenApi } from './http/read-docs.ts'
import { bindSiteFiles } from './http/site-files.ts'
import { askAsSite, type Inject, type OneVisit } from './http/visit.ts'
import { accountRoutes } from './pages/account/account.ts'
import { acknowledgeRoutes } from './pages/alerts/acknowledge.ts'
import { alertRoutes } from './pages/alerts/alerts.ts'
import { auditRoutes } from './pages/audit/audit.ts'
import { channelRoutes } from './pages/channels/channels.ts'
import { agentRoutes } from './pages/agents/agents.ts'
import { checkRoutes } from './pages/checks/checks.ts'
import { editCheckRoutes } from './pages/edit-check/edit-check.ts'
import { docsRoutes } from './pages/docs/docs.ts'
import { errorRoutes } from '@probe-mesh/error-tracking/pages/errors'
import { homeRoutes } from './pages/home/home.ts'
import { incidentRoutes } from './pages/incidents/incidents.ts'
import { keyRoutes } from './pages/keys/keys.ts'
import { loginLinkRoutes } from './pages/login/link.ts'
import { loginRoutes } from './pages/login/login.ts'
import { maintenanceRoutes } from './pages/maintenance/maintenance.ts'
import { outageRoutes } from './pages/outages/outages.ts'
import { invitationRoutes } from './pages/members/invitation.ts'
import { memberRoutes } from './pages/members/members.ts'
import { meshRoutes } from './pages/mesh/mesh.ts'
import { importRoutes } from './pages/import-checks/import-checks.ts'
import { newCheckRoutes } from './pages/new-check/new-check.ts'
import { telemetryRoutes } from './pages/telemetry/telemetry.ts'
import { objectiveRoutes } from './pages/objectives/objectives.ts'
import { secretRoutes } from './pages/secrets/secrets.ts'
import { onCallRoutes } from './pages/on-call/on-call.ts'
import { outboxRoutes } from './pages/outbox/outbox.ts'
import { probesRoutes } from './pages/probes/probes.ts'
import { ruleRoutes } from './pages/rules/rules.ts'
import { serviceRoutes } from './pages/services/services.ts'
import { signUpRoutes } from './pages/sign-up/sign-up.ts'
import { stackRoutes } from './pages/stacks/stacks.ts'
import { statusPageRoutes } from './pages/status-pages/status-pages.ts'
import { statusRoutes } from './pages/status/status.ts'
import { subscriberRoutes } from './pages/subscribers/subscribers.ts'
import { alertMailRoutes } from './pages/alert-mails/alert-mails.ts'
import { subscriptionRoutes } from './pages/subscriptions/subscriptions.ts'
import { weatherRoutes } from './pages/weather/weather.ts'
import { welcomeRoutes } from './pages/welcome/welcome.ts'

/** The cache time of an answer (`control-plane/src/public-answers/answers/answers-routes.ts`). */
const answerMs = 5_000

/** The dashboard and the public pages, as a plugin of the listening app. */
export const createWeb =
  (means: {
    /** Requests the control plane in the same process, without a port. */
    inject: Inject
    withRequestMemo?: OneVisit
    /** How old the counts in the navigation may be. */
    countsMs?: number
    /** root of the REST API, as shown to people */
    apiUrl: string
    /** the gateway's endpoints are below it; null if it is not configured */
    mcpUrl: string | null
    /** The limits of each plan, if the operator changed them. */
    tiers?: Readonly<Record<Tier, TierLimits>>
  }) =>
  async (scope: FastifyInstance): Promise<void> => {
    acceptForms(scope)
    failuresAsPages(scope)
    compressPages(scope)
    bindAssets(scope)
    bindMissingPages(scope, means.inject)
    bindPlainPages(scope, means.inject, [
      ...loginRoutes,
      ...loginLinkRoutes,
      ...signUpRoutes,
      ...invitationRoutes,
    ])
    const askSite = askAsSite(means.inject)
    const catalog = freshFor(answerMs, Date.now, () => askSite('listServices', {}))
    const signUp = freshFor(answerMs, Date.now, () => askSite('getSignUp', {}))
    bindSiteFiles(scope, catalog)
    bindPublicPages(scope, means.inject, [
      ...homeRoutes({ catalog, signUp, apiUrl: means.apiUrl, tiers: means.tiers ?? tiersDefault }),
      ...serviceRoutes,
      ...stackRoutes,
      ...weatherRoutes({ catalog }),
      ...probesRoutes,
      ...docsRoutes({ ...means, texts: readGuides(), openApi: () => readOpenApi(means.inject) }),
      ...statusRoutes,
      ...subscriptionRoutes,
      ...acknowledgeRoutes,
      ...alertMailRoutes,
    ])
    bindMemberPages(scope, means, [
      ...welcomeRoutes({ now: Date.now }),
      ...checkRoutes,
      ...alertRoutes,
      ...importRoutes,
      ...newCheckRoutes,
      ...editCheckRoutes,
      ...meshRoutes,
      ...agentRoutes,
      ...statusPageRoutes,
      ...outageRoutes,
      ...incidentRoutes,
      ...errorRoutes,
      ...maintenanceRoutes({ now: Date.now }),
      ...subscriberRoutes,
      ...channelRoutes,
      ...ruleRoutes,
      ...onCallRoutes,
      ...objectiveRoutes,
      ...secretRoutes,
      ...telemetryRoutes,
      ...outboxRoutes,
      ...auditRoutes,
      ...keyRoutes(means),
      ...memberRoutes,
      ...accountRoutes,
    ])
  }
