import type { FastifyReply, FastifyRequest } from 'fastify'
import { gateHook } from '../../http/gate.ts'
import type { Gate } from '../../http/gate.ts'
import { isFromGateway } from '../../http/gateway-trust.ts'
import type { KeylessBudget } from './keyless-budget.ts'

/**
 * What a route that needs no key asks before anything of the request is read: the keyless budget of
 * the address, whatever key is sent (SV-6004). A key that comes through a gateway reads by its own
 * budget instead, on any tier (SV-1001, SV-1002, SV-6001): reading is its scope's.
 */
export const answersHook = (gate: Gate, budget: KeylessBudget) => {
  const ofKey = gateHook(gate, { scope: 'read', budget: 'reads' })
  return (
    request: FastifyRequest,
    reply: FastifyReply,
    done: () => void,
  ): Promise<void> | undefined => {
    if (isFromGateway(request) && request.headers.authorization !== undefined) {
      return ofKey(request, reply, done)
    }
    budget.hook(request, reply, done)
    return undefined
  }
}
