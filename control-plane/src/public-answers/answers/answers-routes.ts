import { networkOf } from '@probe-mesh/contracts/target/network-of'
import { isRefusal, type Refusal } from '@probe-mesh/contracts/schema/refusal'
import {
  answerRoutes,
  answersPath,
  type AnswerInput,
  type AnswerRoute,
  type AnswerRouteName,
} from '@probe-mesh/contracts/outage/answer-routes'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { AnswersContext } from './context.ts'
import type { Admission } from '../../http/admission.ts'
import { createAnswerCache, type AnswerCache } from './answer-cache.ts'
import { answerVerbs } from './answer-verbs.ts'
import { bindPreflight, allowAnyOrigin } from '../../http/any-origin.ts'
import { withDeadline } from '@probe-mesh/runtime/deadline'
import { gateHook, type Gate } from '../../http/gate.ts'
import { addressOf, isFromGateway } from '../../http/gateway-trust.ts'
import type { KeylessBudget } from './keyless-budget.ts'
import type { AnswerText } from '@probe-mesh/runtime/answer-text'
import { encodeAnswer, sendKept } from '../../http/encode-answer.ts'
import { parseInput, type ParsedInput } from '../../http/parse-input.ts'
import { apiPrefix } from '@probe-mesh/contracts/schema/route'
import { sendJson } from '../../http/send-json.ts'
import { sendRefusal } from '../../http/send-refusal.ts'

/**
 * Checks a request before its body is read: the keyless budget of the address applies, even with a key
 * (SV-6004). With a key that a gateway forwards, the key's own read budget applies instead, on any plan
 * (SV-1001, SV-1002, SV-6001).
 */
const answersHook = (gate: Gate, budget: KeylessBudget) => {
  const ofKey = gateHook(gate, { scope: 'read', budget: 'reads' })
  return (request: FastifyRequest, reply: FastifyReply, done: () => void): Promise<void> | undefined => {
    if (isFromGateway(request) && request.headers.authorization !== undefined) {
      return ofKey(request, reply, done)
    }
    budget.hook(request, reply, done)
    return undefined
  }
}

/** The deadline of an answer. A slower store counts as unavailable. */
const answerMsMax = 10_000

/**
 * How long caches may keep an answer, so that a burst of equal requests costs one. Readings stay fresh for
 * longer (`status/freshness.ts`), `measuredAt` is absolute, and the `Age` header of a cache shows how much
 * older `ageSeconds` has become.
 */
const cacheControl = 'public, max-age=5'

/** An answer as JSON text, or a refusal. */
type Result = string | AnswerText | Refusal
/** Synchronous if the answer comes from memory. */
type Answer = (input: ParsedInput, address: string) => Result | Promise<Result>
type Handle = (request: FastifyRequest, reply: FastifyReply) => void | Promise<FastifyReply>

/**
 * Binds the keyless routes below `/v1/public` to their operations. They need no key and no cookie, allow any
 * origin, and count against the budget of the client's address. Keys are ignored unless a gateway forwards
 * them. Nothing about the caller is stored.
 */
export const bindAnswers = (
  app: FastifyInstance,
  parts: { context: AnswersContext; budget: KeylessBudget; gate: Gate; admission: Admission },
): void => {
  const { context, budget, gate, admission } = parts
  const cache = createAnswerCache(context)
  for (const name of routeNames) {
    const route: AnswerRoute = answerRoutes[name]
    const answer = answerOf(context, cache, name)
    const handle: Handle = (request, reply) => {
      const input = parseInput(route, request)
      const result = isRefusal(input) ? input : answer(input, addressOf(request))
      if (result instanceof Promise) {
        const owner = networkOf(addressOf(request))
        const admitted = admission.admit({ requestClass: 'keyless', owner }, () => result)
        if (isRefusal(admitted)) {
          void result.catch(() => undefined)
          return void send(route, reply, admitted)
        }
        return withDeadline(admitted, answerMsMax).then((late) => send(route, reply, late))
      }
      send(route, reply, result)
    }
    app.route({
      method: route.method,
      url: apiPrefix + answersPath + route.path,
      onRequest: [allowAnyOrigin, answersHook(gate, budget)],
      onSend: encodeAnswer,
      handler: name === 'isServiceDown' ? fromCache(cache, handle) : handle,
    })
  }
  bindPreflight(app, `${apiPrefix}${answersPath}/*`)
}

const send = (route: AnswerRoute, reply: FastifyReply, result: Result): FastifyReply => {
  if (isRefusal(result)) return sendRefusal(reply, result)
  reply.header('cache-control', route.method === 'GET' ? cacheControl : 'no-store')
  return typeof result === 'string' ? sendJson(reply, result) : sendKept(reply, result)
}

const answerOf = (context: AnswersContext, cache: AnswerCache, name: AnswerRouteName): Answer => {
  const verb = verbOf(name)
  const run: Answer = (input, address) => {
    const output = verb(context, input, address)
    return output instanceof Promise ? output.then(toText) : toText(output)
  }
  switch (name) {
    case 'isServiceDown':
      return (input) => {
        const { params, query } = statusInput(input)
        return cache.status(params.slug, query.region ?? null)
      }
    case 'listServices':
    case 'internetWeather':
    case 'isTheInternetDown':
      return () => cache.ofCatalog(name)
    default:
      return run
  }
}

/** Answers from the cache if the query is known; otherwise calls the handler. */
const fromCache =
  (cache: AnswerCache, handle: Handle): Handle =>
  (request, reply) => {
    const { slug } = request.params as { slug: string }
    const json = isEmpty(request.query) ? cache.cachedStatus(slug) : undefined
    if (json === undefined) return handle(request, reply)
    send(answerRoutes.isServiceDown, reply, json)
  }

/**
 * A request with a query string is always parsed, so that an invalid one is refused even if the answer is
 * cached.
 */
const isEmpty = (query: unknown): boolean => {
  for (const _ in query as object) return false
  return true
}

/** The schemas of the same route have parsed this input. */
const statusInput = (input: ParsedInput): AnswerInput<'isServiceDown'> => input as never

const toText = (output: unknown): Result => (isRefusal(output) ? output : JSON.stringify(output))

const routeNames = Object.keys(answerRoutes) as AnswerRouteName[]

/** The operation of a route. The types of the table ensure that it accepts what the route's schemas parse. */
const verbOf = (
  name: AnswerRouteName,
): ((context: AnswersContext, input: ParsedInput, address: string) => unknown) => answerVerbs[name] as never
