import { Readable } from 'node:stream'
import { createGunzip } from 'node:zlib'
import { metricsRoute, type Route } from '@probe-mesh/contracts/api/routes'
import { apiPrefix } from '@probe-mesh/contracts/schema/route'
import { isRefusal } from '@probe-mesh/contracts/schema/refusal'
import { codingFor } from '@probe-mesh/runtime/compress'
import { withDeadline } from '@probe-mesh/runtime/deadline'
import type { FastifyInstance } from 'fastify'
import { createAccountMetrics } from '../account-metrics/account-metrics.ts'
import { contentTypes, formatFor } from '../account-metrics/metric-text.ts'
import type { ObjectiveContext } from '../objectives/objective-states.ts'
import type { Admission } from '../http/admission.ts'
import { callerOf, gateHook, type Gate } from '../http/gate.ts'
import { parseInput } from '../http/parse-input.ts'
import { sendRefusal } from '../http/send-refusal.ts'

/** `GET /v1/metrics`: the checks of the caller's account for its own Prometheus. */
export const bindAccountMetrics = (
  app: FastifyInstance,
  capabilities: {
    context: ObjectiveContext
    gate: Gate
    admission: Admission
    answerMsMax: number
  },
): void => {
  const { context, gate, admission, answerMsMax } = capabilities
  const route: Route = metricsRoute
  const metricsOf = createAccountMetrics(context)
  app.route({
    method: route.method,
    url: apiPrefix + route.path,
    onRequest: gateHook(gate, route),
    handler: async (request, reply) => {
      const input = parseInput(route, request)
      if (isRefusal(input)) return sendRefusal(reply, input)
      const { accountId, tier } = callerOf(request)
      const format = formatFor(request.headers.accept)
      const work = admission.admit({ requestClass: tier, owner: accountId }, () => metricsOf(accountId))
      const body = isRefusal(work) ? work : await withDeadline(work, answerMsMax)
      if (isRefusal(body)) return sendRefusal(reply, body)
      reply.header('content-type', contentTypes[format]).header('vary', 'accept, accept-encoding')
      reply.header('cache-control', 'no-store')
      const coding = codingFor(request.headers['accept-encoding'], ['gzip'])
      if (coding !== null) return reply.header('content-encoding', coding).send(body)
      return reply.send(Readable.from([body]).pipe(createGunzip()))
    },
  })
}
