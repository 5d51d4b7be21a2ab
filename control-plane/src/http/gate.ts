import { networkOf } from '@probe-mesh/contracts/target/network-of'
import { isRefusal, refuse } from '@probe-mesh/contracts/schema/refusal'
import type { Refusal } from '@probe-mesh/contracts/schema/refusal'
import type { Route } from '@probe-mesh/contracts/api/routes'
import type { Tier, TierLimits } from '@probe-mesh/contracts/account/tiers'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Caller, KeyOwner } from '../operations/context.ts'
import type { KeyAuthenticator } from '../accounts/authenticate-key.ts'
import type { KeyRateLimiter, RateLimitState } from '../accounts/rate-limits/key-rate-limiter.ts'
import { withDeadline } from '@probe-mesh/runtime/deadline'
import { addressOf, isFromGateway } from './gateway-trust.ts'
import { sendRefusal } from './send-refusal.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** Set by the gate; null on routes that have none. */
    caller: KeyOwner | null
  }
}

export type Gate = {
  keys: KeyAuthenticator
  budgets: KeyRateLimiter
  tiers: Readonly<Record<Tier, TierLimits>>
}

/** A look-up by an index: longer means that the store is away. */
const lookUpMsMax = 5_000

/**
 * What every keyed route asks before anything of the request is read, in this order: the key
 * (SV-1001, SV-1002), the account (SV-1012), the tier (SV-1003), the scope
 * (SV-1004), the budget (SV-6001, SV-6002). What comes through a trusted gateway is no call of the
 * REST API: there free keys may read, and SV-1005 stands in the place of SV-1003.
 */
export const gateHook =
  (gate: Gate, route: Pick<Route, 'scope' | 'budget'>) =>
  (request: FastifyRequest, reply: FastifyReply, done: () => void): Promise<void> | undefined => {
    const known = gate.keys.recall(request.headers.authorization)
    if (known === undefined) return lookUp(gate, route, request, reply)
    const admitted = admit(gate, route, known, request, reply)
    // a promise of nothing: once a reply is sent, the request goes no further
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

/** Whose key it is, or SV-1001, SV-1002, SV-1012. @throws `AnswerTimeout` when the store is away */
export const authenticate = (
  { keys }: Pick<Gate, 'keys'>,
  request: FastifyRequest,
): Promise<KeyOwner | Refusal> => {
  const { authorization } = request.headers
  const network = networkOf(addressOf(request))
  return withDeadline(keys.authenticate(authorization, network), lookUpMsMax)
}

/**
 * @returns whether the request may go on, otherwise it has been answered; at once where the budget is
 *   known in memory
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
    refusal === null
      ? gate.budgets.spend(caller, route.budget)
      : gate.budgets.look(caller, route.budget)
  const finish = (state: RateLimitState): boolean => {
    reply.header('ratelimit-policy', state.policy)
    reply.header('ratelimit', state.rateLimit)
    const refused = refusal ?? overBudget(route, state)
    if (refused === null) request.caller = caller
    else sendRefusal(reply, refused)
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
        ...(budget.ofAccount === true ? { message: accountUsedUp(route.budget) } : {}),
        retryAfterSeconds: budget.retryAfterSeconds,
      })

const accountUsedUp = (budget: Route['budget']): string =>
  `The keys of this account together have used its ${budget} for the minute. Wait as long as Retry-After says.`

/** The key's owner behind a gate. @throws where a route forgot its gate: a bug, never an answer */
export const keyOwnerOf = (request: FastifyRequest): KeyOwner => {
  if (request.caller === null) throw new Error(`${request.routeOptions.url} has no gate`)
  return request.caller
}

/** Who calls, with what a write notes of them. */
export const callerOf = (request: FastifyRequest): Caller => {
  const owner = keyOwnerOf(request)
  const { keyId: id, keyName: name } = owner
  return { ...owner, actor: { kind: 'key', id, name, address: addressOf(request) } }
}
