import { isRefusal, refuse } from '@probe-mesh/contracts/refusal'
import type { Refusal } from '@probe-mesh/contracts/refusal'
import type { Route } from '@probe-mesh/contracts/routes'
import type { Tier, TierLimits } from '@probe-mesh/contracts/tiers'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Caller } from '../account/context.ts'
import type { KeyRing } from '../account/key-ring.ts'
import type { Budgets, BudgetState } from './budgets.ts'
import { sendRefusal } from './send-refusal.ts'
import { withDeadline } from './deadline.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** Set by the gate; null on routes that have none. */
    caller: Caller | null
  }
}

export type Gate = {
  keyRing: KeyRing
  budgets: Budgets
  tiers: Readonly<Record<Tier, TierLimits>>
}

/** A look-up by an index: longer means that the store is away. */
const lookUpMsMax = 5_000

/**
 * What every keyed route asks before anything of the request is read, in this order: the key
 * (SV-1001, SV-1002), "a free-tier key is rejected before any route runs" (SV-1003), the scope
 * (SV-1004), the budget (SV-6001, SV-6002).
 */
export const gateHook =
  (gate: Gate, route: Pick<Route, 'scope' | 'budget'>) =>
  (request: FastifyRequest, reply: FastifyReply, done: () => void): Promise<void> | undefined => {
    const known = gate.keyRing.recall(request.headers.authorization)
    if (known === undefined) return lookUp(gate, route, request, reply)
    if (admit(gate, route, known, request, reply)) done()
    return undefined
  }

const lookUp = async (
  gate: Gate,
  route: Pick<Route, 'scope' | 'budget'>,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<void> => {
  const { authorization } = request.headers
  const caller = await withDeadline(gate.keyRing.authenticate(authorization), lookUpMsMax)
  // once a reply is sent, the request goes no further
  if (isRefusal(caller)) sendRefusal(reply, caller)
  else admit(gate, route, caller, request, reply)
}

/** @returns whether the request may go on; otherwise it has been answered */
const admit = (
  gate: Gate,
  route: Pick<Route, 'scope' | 'budget'>,
  caller: Caller,
  request: FastifyRequest,
  reply: FastifyReply,
): boolean => {
  const refusal = refusalOf(gate, route, caller)
  const budget =
    refusal === null
      ? gate.budgets.spend(caller.keyId, route.budget)
      : gate.budgets.look(caller.keyId, route.budget)
  reply.header('ratelimit-policy', budget.policy)
  reply.header('ratelimit', budget.rateLimit)
  const refused = refusal ?? overBudget(route, budget)
  if (refused !== null) {
    sendRefusal(reply, refused)
    return false
  }
  request.caller = caller
  return true
}

const refusalOf = (gate: Gate, route: Pick<Route, 'scope'>, caller: Caller): Refusal | null => {
  if (!gate.tiers[caller.tier].rest) return refuse('SV-1003')
  if (route.scope === 'read_write' && caller.scope === 'read') return refuse('SV-1004')
  return null
}

const overBudget = (route: Pick<Route, 'budget'>, budget: BudgetState): Refusal | null =>
  budget.allowed
    ? null
    : refuse(route.budget === 'reads' ? 'SV-6001' : 'SV-6002', {
        retryAfterSeconds: budget.retryAfterSeconds,
      })

/** The caller behind a gate. @throws where a route forgot its gate: a bug, never an answer */
export const callerOf = (request: FastifyRequest): Caller => {
  if (request.caller === null) throw new Error(`${request.url} has no gate`)
  return request.caller
}
