import { dashboardRoutes } from '@probe-mesh/contracts/api/dashboard-routes'
import { isRefusal, type Refusal } from '@probe-mesh/contracts/schema/refusal'
import { routes, type Route } from '@probe-mesh/contracts/api/routes'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Admission } from '../http/admission.ts'
import { accountOperations, dashboardOperations } from './dashboard-operations.ts'
import type { DashboardCaller, DashboardContexts } from './dashboard-operation.ts'
import { answerOnce, idempotencyKeyOf } from '../http/idempotency.ts'
import type { Caller } from '../accounts/operations/context.ts'
import { withDeadline } from '@probe-mesh/runtime/deadline'
import { addressOf } from '../http/gateway-trust.ts'
import { bindLogins } from '../login/login-routes.ts'
import { parseInput, type ParsedInput } from '../http/parse-input.ts'
import { answerMsMaxOf, isRun } from './routes.ts'
import { sendJson, sendRevalidated } from '../http/send-json.ts'
import { sendRefusal } from '../http/send-refusal.ts'
import { ownPagesHook, sessionHook, sessionOwnerOf, userOf, type SessionGate } from '../login/session-gate.ts'
import { verbs } from './verbs.ts'

export const dashboardPrefix = '/dashboard-api'

/** An operation of either route table. The table's row defines its types. */
type AnyVerb = (contexts: DashboardContexts, who: DashboardCaller, input: ParsedInput) => Promise<unknown>

/**
 * Binds the dashboard's routes and all REST routes for logged-in users. A session has the rights of a read_write
 * key on every plan, and those of the Terraform provider.
 */
export const bindDashboard = (
  app: FastifyInstance,
  contexts: DashboardContexts,
  gate: SessionGate,
  admission: Admission,
): void => {
  app.decorateRequest('sessionOwner', null)
  bindLogins(app, dashboardPrefix, gate)
  const bind = (name: string, route: Route, verb: AnyVerb): void => {
    app.route({
      method: route.method,
      url: dashboardPrefix + route.path,
      ...(route.bodyBytesMax === undefined ? {} : { bodyLimit: route.bodyBytesMax }),
      onRequest: [ownPagesHook, sessionHook(gate, route)],
      handler: async (request, reply) => {
        const who = whoOf(request)
        const workMsMax = answerMsMaxOf(name)
        const work = async (caller: Caller): Promise<string | Refusal> => {
          const input = parseInput(route, request)
          if (isRefusal(input)) return input
          const { tier, accountId } = caller
          const requester = { requestClass: tier, owner: accountId, isRun: isRun(name) }
          const working = admission.admit(requester, () => verb(contexts, { ...who, caller }, input))
          const output = isRefusal(working) ? working : await withDeadline(working, workMsMax)
          return isRefusal(output) ? output : JSON.stringify(output)
        }
        const isWrite = route.method === 'POST' && route.scope === 'read_write'
        const key = isWrite ? idempotencyKeyOf(request) : undefined
        if (key !== undefined) {
          const owner = `user ${who.owner.session.userId}`
          const isSecret = route.secret === true
          const once = { key, caller: who.caller, owner, success: route.success, workMsMax, isSecret, work }
          return answerOnce(contexts.account, request, reply, once)
        }
        const json = await work(who.caller)
        if (isRefusal(json)) return sendRefusal(reply, json)
        return route.revalidated === true
          ? sendRevalidated(request, reply, json)
          : sendJson(reply.code(route.success), json)
      },
    })
  }
  const ofAccount = { ...verbs, ...accountOperations } as unknown as Readonly<Record<string, Verb>>
  for (const [name, route] of Object.entries<Route>({ ...routes, ...dashboardRoutes })) {
    const verb = ofAccount[name]
    if (verb !== undefined)
      bind(name, route, ({ account }, { caller }, input) => verb(account, caller, input))
    else bind(name, route, dashboardOperations[name as keyof typeof dashboardOperations] as AnyVerb)
  }
}

type Verb = (
  context: DashboardContexts['account'],
  caller: DashboardCaller['caller'],
  input: ParsedInput,
) => Promise<unknown>

const whoOf = (request: FastifyRequest): DashboardCaller => ({
  caller: userOf(request),
  owner: sessionOwnerOf(request),
  address: addressOf(request),
})
