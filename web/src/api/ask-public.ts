import { loginRoutes } from '@probe-mesh/contracts/account/login-routes'
import { publicPageRoutes } from '@probe-mesh/contracts/status-page/public-page'
import type { Exchange } from '@probe-mesh/contracts/api/route-client'
import { answerRoutes, answersPath } from '@probe-mesh/contracts/outage/answer-routes'
import type { AnswerRoutes } from '@probe-mesh/contracts/outage/answer-routes'
import { subscriptionRoutes } from '@probe-mesh/contracts/subscriber/subscription-routes'
import { askOver } from './ask.ts'
import type { AskOver } from './ask.ts'

/** Of what the login form asks, what is said to everybody. */
type SignUp = Pick<typeof loginRoutes, 'getSignUp'>
type Table = typeof publicPageRoutes & typeof subscriptionRoutes & SignUp & AnswerRoutes

/**
 * What the control plane says to everybody, without a session. Of the answers each asking spends
 * the keyless budget of the visitor's address (SV-6004): a page asks one of them, so that it counts
 * as once.
 */
export type AskPublic = AskOver<Table>

/** The public documents are below the site, the answers and the dashboard's routes below their APIs. */
const table = {
  ...publicPageRoutes,
  ...subscriptionRoutes,
  getSignUp: { ...loginRoutes.getSignUp, path: `/dashboard-api${loginRoutes.getSignUp.path}` },
  ...Object.fromEntries(
    Object.entries(answerRoutes).map(([name, route]) => [
      name,
      { ...route, path: `/v1${answersPath}${route.path}` },
    ]),
  ),
} as unknown as Table

/** @param exchange carries where a request came from, and no cookie */
export const createAskPublic = (exchange: Exchange): AskPublic =>
  askOver(table, 'http://control-plane', exchange)
