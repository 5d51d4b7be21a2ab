import { networkOf } from '@probe-mesh/contracts/target/network-of'
import { isRefusal, refuse, type Refusal } from '@probe-mesh/contracts/schema/refusal'
import type { Route } from '@probe-mesh/contracts/api/routes'
import type { Tier, TierLimits } from '@probe-mesh/contracts/account/tiers'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Caller, KeyOwner } from '../accounts/operations/context.ts'
import type { KeyAuthenticator } from '../accounts/authenticate-key.ts'
import type { KeyRateLimiter, RateLimitState } from '../accounts/rate-limits/key-rate-limiter.ts'
import { withDeadline } from '@probe-mesh/runtime/deadline'
import { addressOf, isFromGateway } from './gateway-trust.ts'
import { sendRefusal } from './send-refusal.ts'
import { ownWork } from '@probe-mesh/runtime/loop-watch'

declare module 'fastify' {
  interface FastifyRequest {
    /** Set by the gate; null on routes without a gate. */
    caller: KeyOwner | null
  }
}

export type Gate = {
  keys: KeyAuthenticator
  budgets: KeyRateLimiter
  tiers: Readonly<Record<Tier, TierLimits>>
}

/** A slower look-up by an index counts as an unavailable database. */
const lookUpMsMax = 5_000

/**
 * The checks of every keyed route, before the request is read, in this order: key (SV-1001, SV-1002), account
 * (SV-1012), plan (SV-1003), scope (SV-1004), budget (SV-6001, SV-6002). A request through a trusted gateway is
 * not a REST call: keys of free accounts may read, and SV-1005 replaces SV-1003.
 */
export const gateHook =
  (gate: Gate, route: Pick<Route, 'scope' | 'budget'>) =>
  (request: FastifyRequest, reply: FastifyReply, done: () => void): Promise<void> | undefined => {
    const known = gate.keys.recall(request.headers.authorization)
    if (known === undefined) return lookUp(gate, route, request, reply)
    const admitted = admit(gate, route, known, request, reply)
    // a promise without a value: a request with a sent reply ends here
    if (admitted instanceof Promise) return admitted.then(() => {})
    if (admitted) done()
    return undefined
  }

const lookUp = async (
  gate: Gate,
  route: Pick<Route, 'scope' | 'budget'>,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<void> => {
  const caller = await authenticate(gate, request)
  if (isRefusal(caller)) sendRefusal(reply, caller)
  else await admit(gate, route, caller, request, reply)
}

/** @returns the owner of the key, or SV-1001, SV-1002, SV-1012. @throws `AnswerTimeout` if the database is unavailable */
export const authenticate = (
  { keys }: Pick<Gate, 'keys'>,
  request: FastifyRequest,
): Promise<KeyOwner | Refusal> => {
  const { authorization } = request.headers
  const network = networkOf(addressOf(request))
  return withDeadline(keys.authenticate(authorization, network), lookUpMsMax)
}

/**
 * @returns whether the request may continue; otherwise it is answered. Synchronous if the budget is in memory.
 */
const admit = (
  gate: Gate,
  route: Pick<Route, 'scope' | 'budget'>,
  caller: KeyOwner,
  request: FastifyRequest,
  reply: FastifyReply,
): boolean | Promise<boolean> => {
  const refusal = refusalOf(gate, route, caller, isFromGateway(request))
  const budget =
    refusal === null ? gate.budgets.spend(caller, route.budget) : gate.budgets.look(caller, route.budget)
  const finish = (state: RateLimitState): boolean => {
    reply.header('ratelimit-policy', state.policy)
    reply.header('ratelimit', state.rateLimit)
    const refused = refusal ?? overBudget(route, state)
    if (refused === null) {
      request.caller = caller
      ownWork(caller.accountId)
    } else sendRefusal(reply, refused)
    return refused === null
  }
  return budget instanceof Promise ? budget.then(finish) : finish(budget)
}

const refusalOf = (
  gate: Gate,
  route: Pick<Route, 'scope'>,
  caller: KeyOwner,
  fromGateway: boolean,
): Refusal | null => {
  const writes = route.scope === 'read_write'
  if (!gate.tiers[caller.tier].rest) {
    if (!fromGateway) return refuse('SV-1003')
    // decided before the scope (S-2406)
    if (writes) return refuse('SV-1005')
  }
  return writes && caller.scope === 'read' ? refuse('SV-1004') : null
}

const overBudget = (route: Pick<Route, 'budget'>, budget: RateLimitState): Refusal | null =>
  budget.allowed
    ? null
    : refuse(route.budget === 'reads' ? 'SV-6001' : 'SV-6002', {
        message: usedUp(route.budget, budget),
        retryAfterSeconds: budget.retryAfterSeconds,
      })

const usedUp = (budget: Route['budget'], { ofAccount, retryAfterSeconds }: RateLimitState): string => {
  const what =
    ofAccount === true
      ? `The ${budget} budget of this account is used up for this minute, by all its keys together.`
      : `This key has used its ${budget} for this minute.`
  return `${what} Retry in ${retryAfterSeconds} s.`
}

/** The owner of the key, after a gate. @throws if the route has no gate: a bug */
export const keyOwnerOf = (request: FastifyRequest): KeyOwner => {
  if (request.caller === null) throw new Error(`${request.routeOptions.url} has no gate`)
  return request.caller
}

/** The caller, with its entry for the audit log. */
export const callerOf = (request: FastifyRequest): Caller => {
  const owner = keyOwnerOf(request)
  const { keyId: id, keyName: name } = owner
  return { ...owner, actor: { kind: 'key', id, name, address: addressOf(request) } }
}
