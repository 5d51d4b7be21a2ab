import { alertMailRoutes } from '@probe-mesh/contracts/alert/alert-address'
import { loginRoutes } from '@probe-mesh/contracts/account/login-routes'
import { publicPageRoutes } from '@probe-mesh/contracts/status-page/public-page'
import { alertLinkRoutes } from '@probe-mesh/contracts/open-alert/alert-link-routes'
import type { Exchange } from '@probe-mesh/contracts/api/route-client'
import { answerRoutes, answersPath, type AnswerRoutes } from '@probe-mesh/contracts/outage/answer-routes'
import { subscriptionRoutes } from '@probe-mesh/contracts/subscriber/subscription-routes'
import { askOver, type AskOver } from './ask.ts'

/** The public part of the routes of the login form. */
type SignUp = Pick<typeof loginRoutes, 'getSignUp'>
type Table = typeof publicPageRoutes &
  typeof subscriptionRoutes &
  typeof alertLinkRoutes &
  typeof alertMailRoutes &
  SignUp &
  AnswerRoutes

/**
 * The public API of the control plane, without a session. Each answer counts against the keyless budget of
 * the visitor's address (SV-6004). A page requests one answer, so it counts once.
 */
export type AskPublic = AskOver<Table>

/** The public documents are below the site; the answers and the dashboard's routes are below their APIs. */
const table = {
  ...publicPageRoutes,
  ...subscriptionRoutes,
  ...alertLinkRoutes,
  ...alertMailRoutes,
  getSignUp: { ...loginRoutes.getSignUp, path: `/dashboard-api${loginRoutes.getSignUp.path}` },
  ...Object.fromEntries(
    Object.entries(answerRoutes).map(([name, route]) => [
      name,
      { ...route, path: `/v1${answersPath}${route.path}` },
    ]),
  ),
} as unknown as Table

/** @param exchange carries the address of the request, and no cookie */
export const createAskPublic = (exchange: Exchange): AskPublic =>
  askOver(table, 'http://control-plane', exchange)
