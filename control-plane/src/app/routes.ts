import { answerMsMax, slowAnswerMsMax } from '@probe-mesh/contracts/api/request-pools'
import { limits } from '@probe-mesh/contracts/schema/limits'
import { isRefusal, type Refusal } from '@probe-mesh/contracts/schema/refusal'
import { routes, type Route, type RouteName } from '@probe-mesh/contracts/api/routes'
import { apiPrefix } from '@probe-mesh/contracts/schema/route'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { answerScopeOf, type Caller } from '../accounts/operations/context.ts'
import { withAllChangeProblems, withAllProblems } from '../checks/all-problems.ts'
import type { AppContext } from './app-parts.ts'
import type { Admission } from '../http/admission.ts'
import { clientHook } from '../http/client-rule.ts'
import { withDeadline } from '@probe-mesh/runtime/deadline'
import { callerOf, gateHook, keyOwnerOf, type Gate } from '../http/gate.ts'
import { answerOnce, idempotencyKeyOf } from '../http/idempotency.ts'
import { answerText } from '@probe-mesh/runtime/answer-text'
import { encodeAnswer, sendKept } from '../http/encode-answer.ts'
import { locationHook } from '../http/location.ts'
import { parseInput, type ParsedInput } from '../http/parse-input.ts'
import { sendJson } from '../http/send-json.ts'
import { sendRefusal } from '../http/send-refusal.ts'
import { bindAccountMetrics } from './account-metrics-route.ts'
import { verbs } from './verbs.ts'

/** A slower answer counts as an unavailable database. A run includes its queue, both attempts and the transport. */
const runAnswerMsMax = limits.runRequestMsMax + 1_000
export const isRun = (name: string): boolean => name === 'runCheck' || name === 'tryCheck'
const isSlow = (name: string): boolean => name === 'readImport' || name === 'replayStatusRule'
export const answerMsMaxOf = (name: string): number => {
  if (isRun(name)) return runAnswerMsMax
  return isSlow(name) ? slowAnswerMsMax : answerMsMax
}

/** An answer as JSON text. There is no response serializer: plain JSON.stringify is faster. */
type Answer = (caller: Caller, input: ParsedInput) => Promise<string | Refusal>

/** Binds every route of the table to its operation, and the metrics, which are text, behind the same gate. */
export const bindRoutes = (
  app: FastifyInstance,
  context: AppContext,
  gate: Gate,
  admission: Admission,
): void => {
  for (const name of routeNames) {
    const route: Route = routes[name]
    const answer = name === 'getCheck' ? rememberedAnswer(context) : answerOf(context, name)
    const timeoutMs = answerMsMaxOf(name)
    const handle = async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
      const work = async (caller: Caller): Promise<string | Refusal> => {
        const result = await answerInput(caller)
        if (!isRefusal(result)) return result
        if (name === 'updateCheckRegions') {
          const { id } = Object(request.params) as { id?: unknown }
          return withAllChangeProblems(context, result, caller, { id, body: request.body })
        }
        return name === 'createCheck'
          ? withAllProblems(result, request.body, { rules: context.rules, caller })
          : result
      }
      const answerInput = async (caller: Caller): Promise<string | Refusal> => {
        const input = parseInput(route, request)
        if (isRefusal(input)) return input
        const requester = { requestClass: caller.tier, owner: caller.accountId, isRun: isRun(name) }
        const answering = admission.admit(requester, () => answer(caller, input))
        return isRefusal(answering) ? answering : withDeadline(answering, timeoutMs)
      }
      const isWrite = route.method === 'POST' && route.scope === 'read_write'
      const key = isWrite ? idempotencyKeyOf(request) : undefined
      if (key !== undefined) {
        const isSecret = route.secret === true
        const caller = callerOf(request)
        const once = { key, caller, success: route.success, workMsMax: timeoutMs, isSecret, work }
        return answerOnce(context, request, reply, once)
      }
      const json = await work(callerOf(request))
      return isRefusal(json) ? sendRefusal(reply, json) : sendJson(reply.code(route.success), json)
    }
    app.route({
      method: route.method,
      url: apiPrefix + route.path,
      onRequest:
        route.client === undefined ? gateHook(gate, route) : [gateHook(gate, route), clientHook(route)],
      ...(route.bodyBytesMax !== undefined && { bodyLimit: route.bodyBytesMax }),
      onSend: route.location === undefined ? encodeAnswer : [locationHook(route), encodeAnswer],
      handler: name === 'getCheck' ? fromMemory(context, handle) : handle,
    })
  }
  bindAccountMetrics(app, { context, gate, admission, answerMsMax })
}

const answerOf = (context: AppContext, name: RouteName): Answer => {
  const verb = verbOf(name)
  return async (caller, input) => {
    const output = await verb(context, caller, input)
    return isRefusal(output) ? output : JSON.stringify(output)
  }
}

/** The most frequent read: one answer serves all keys of the account and scope for up to a second. */
const rememberedAnswer = (context: AppContext): Answer => {
  const answer = answerOf(context, 'getCheck')
  return (caller, input) =>
    context.answers.load(idOf(input.params), answerScopeOf(caller), async () => {
      const json = await answer(caller, input)
      const keep = isRefusal(json) ? null : { scope: answerScopeOf(caller), text: answerText(json) }
      return { keep, value: json }
    })
}

type Handle = (request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply>

/** Answers at once from the cache. A cached id needs no parsing. */
const fromMemory =
  (context: AppContext, handle: Handle) =>
  (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> | undefined => {
    const known = context.answers.peek(idOf(request.params))
    if (known === undefined || known.scope !== answerScopeOf(keyOwnerOf(request))) {
      return handle(request, reply)
    }
    sendKept(reply, known.text)
    return undefined
  }

const idOf = (params: unknown): string =>
  typeof params === 'object' && params !== null && 'id' in params ? String(params.id) : ''

const routeNames = Object.keys(routes) as RouteName[]

/** The types of the table ensure that an operation gets the parsed input of its route. */
const verbOf = (
  name: RouteName,
): ((context: AppContext, caller: Caller, input: ParsedInput) => Promise<unknown>) => verbs[name] as never
