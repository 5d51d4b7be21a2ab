import { admissionPath } from '@probe-mesh/contracts/outage/gateway'
import { isRefusal, refuse } from '@probe-mesh/contracts/schema/refusal'
import type { FastifyInstance } from 'fastify'
import { authenticate, type Gate } from '../http/gate.ts'
import { isFromGateway } from '../http/gateway-trust.ts'
import type { KeylessBudget } from '../public-answers/answers/keyless-budget.ts'
import { apiPrefix } from '@probe-mesh/contracts/schema/route'
import { sendRefusal } from '../http/send-refusal.ts'

/**
 * `POST /v1/gateway/admission`: whether a gateway may answer a request that calls no route, such as
 * `tools/list`. A key is authenticated and spends no budget (SV-1001, SV-1002). Without a key the request spends
 * the keyless budget of the caller (SV-6004). Answers 204; SV-3001 to any client other than a gateway.
 */
export const bindGatewayAdmission = (
  app: FastifyInstance,
  { gate, budget }: { gate: Gate; budget: KeylessBudget },
): void => {
  app.route({
    method: 'POST',
    url: apiPrefix + admissionPath,
    onRequest: (request, reply, done) => {
      if (!isFromGateway(request)) sendRefusal(reply, refuse('SV-3001'))
      else if (request.headers.authorization === undefined) budget.hook(request, reply, done)
      else done()
    },
    handler: async (request, reply) => {
      const { authorization } = request.headers
      const caller = authorization === undefined ? null : await authenticate(gate, request)
      return isRefusal(caller) ? sendRefusal(reply, caller) : reply.code(204).send()
    },
  })
}
