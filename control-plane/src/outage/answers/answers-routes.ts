import { networkOf } from '@probe-mesh/contracts/target/network-of'
import { isRefusal } from '@probe-mesh/contracts/schema/refusal'
import type { Refusal } from '@probe-mesh/contracts/schema/refusal'
import { answerRoutes, answersPath } from '@probe-mesh/contracts/outage/answer-routes'
import type { AnswerInput, AnswerRoute, AnswerRouteName } from '@probe-mesh/contracts/outage/answer-routes'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { AnswersContext } from './context.ts'
import type { Admission } from '../../http/admission.ts'
import { createAnswerMemory } from './answer-memory.ts'
import type { AnswerMemory } from './answer-memory.ts'
import { answerVerbs } from './answer-verbs.ts'
import { bindPreflight, allowAnyOrigin } from '../../http/any-origin.ts'
import { withDeadline } from '@probe-mesh/runtime/deadline'
import type { Gate } from '../../http/gate.ts'
import { addressOf, isFromGateway } from '../../http/gateway-trust.ts'
import type { KeylessBudget } from './keyless-budget.ts'
import { parseInput } from '../../http/parse-input.ts'
import type { ParsedInput } from '../../http/parse-input.ts'
import { apiPrefix } from '@probe-mesh/contracts/schema/route'
import { sendJson } from '../../http/send-json.ts'
import { sendRefusal } from '../../http/send-refusal.ts'
import { gateHook } from '../../http/gate.ts'

/**
 * What a route that needs no key asks before anything of the request is read: the keyless budget of
 * the address, whatever key is sent (SV-6004). A key that comes through a gateway reads by its own
 * budget instead, on any tier (SV-1001, SV-1002, SV-6001): reading is its scope's.
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

/** Beyond this a store is as good as away. */
const answerMsMax = 10_000

/**
 * How long others may keep an answer: a burst of one question is one. Every reading counts for
 * longer than that (`status/freshness.ts`), what an answer says of time is an instant
 * (`measuredAt`), and a cache's `Age` tells how much older its `ageSeconds` has become.
 */
const cacheControl = 'public, max-age=5'

/** An answer as JSON text, or why there is none; at once where it comes from memory. */
type Said = string | Refusal
type Answer = (input: ParsedInput, address: string) => Said | Promise<Said>
type Handle = (request: FastifyRequest, reply: FastifyReply) => void | Promise<FastifyReply>

/**
 * Binds every keyless route to its verb, below `/v1/public`: no key, no cookie, from any origin,
 * within the budget of the client's address. A key that is sent is not looked at, except for one
 * that comes through a gateway, and nothing about the caller is stored.
 */
export const bindAnswers = (
  app: FastifyInstance,
  parts: { context: AnswersContext; budget: KeylessBudget; gate: Gate; admission: Admission },
): void => {
  const { context, budget, gate, admission } = parts
  const memory = createAnswerMemory(context)
  for (const name of routeNames) {
    const route: AnswerRoute = answerRoutes[name]
    const answer = answerOf(context, memory, name)
    const handle: Handle = (request, reply) => {
      const input = parseInput(route, request)
      const said = isRefusal(input) ? input : answer(input, addressOf(request))
      if (said instanceof Promise) {
        const owner = networkOf(addressOf(request))
        const admitted = admission.admit({ requestClass: 'keyless', owner }, () => said)
        if (isRefusal(admitted)) {
          void said.catch(() => undefined)
          return void send(route, reply, admitted)
        }
        return withDeadline(admitted, answerMsMax).then((late) => send(route, reply, late))
      }
      send(route, reply, said)
    }
    app.route({
      method: route.method,
      url: apiPrefix + answersPath + route.path,
      onRequest: [allowAnyOrigin, answersHook(gate, budget)],
      handler: name === 'isServiceDown' ? fromMemory(memory, handle) : handle,
    })
  }
  bindPreflight(app, `${apiPrefix}${answersPath}/*`)
}

const send = (route: AnswerRoute, reply: FastifyReply, said: Said): FastifyReply => {
  if (isRefusal(said)) return sendRefusal(reply, said)
  reply.header('cache-control', route.method === 'GET' ? cacheControl : 'no-store')
  return sendJson(reply, said)
}

const answerOf = (context: AnswersContext, memory: AnswerMemory, name: AnswerRouteName): Answer => {
  const verb = verbOf(name)
  const run: Answer = (input, address) => {
    const output = verb(context, input, address)
    return output instanceof Promise ? output.then(toText) : toText(output)
  }
  switch (name) {
    case 'isServiceDown':
      return (input) => {
        const { params, query } = statusInput(input)
        return memory.status(params.slug, query.region ?? null)
      }
    case 'listServices':
    case 'internetWeather':
    case 'isTheInternetDown':
      return () => memory.ofCatalog(name)
    default:
      return run
  }
}

/** Answers at once where what is asked for was parsed before, or is a slug as it stands. */
const fromMemory =
  (memory: AnswerMemory, handle: Handle): Handle =>
  (request, reply) => {
    const { slug } = request.params as { slug: string }
    const json = isEmpty(request.query) ? memory.statusOfKnown(slug) : undefined
    if (json === undefined) return handle(request, reply)
    send(answerRoutes.isServiceDown, reply, json)
  }

/** A query of anything is parsed: what is refused in one is refused whatever is remembered. */
const isEmpty = (query: unknown): boolean => {
  for (const _ in query as object) return false
  return true
}

/** What the schemas of the same route have parsed. */
const statusInput = (input: ParsedInput): AnswerInput<'isServiceDown'> => input as never

const toText = (output: unknown): Said => (isRefusal(output) ? output : JSON.stringify(output))

const routeNames = Object.keys(answerRoutes) as AnswerRouteName[]

/** A route's verb takes what the schemas of the same route parse: the table's types see to that. */
const verbOf = (
  name: AnswerRouteName,
): ((context: AnswersContext, input: ParsedInput, address: string) => unknown) => answerVerbs[name] as never
