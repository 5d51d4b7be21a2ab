import { refuse } from '@probe-mesh/contracts/refusal'
import { eventsRoute } from '@probe-mesh/contracts/routes'
import type { FastifyInstance } from 'fastify'
import type { EventHub } from './event-hub.ts'
import { callerOf, gateHook } from './gate.ts'
import type { Gate } from './gate.ts'
import { apiPrefix } from './routes.ts'
import { sendRefusal } from './send-refusal.ts'

const retryAfterSeconds = 15

/** `GET /v1/events`: server-sent events of the caller's account, behind the gate of every route. */
export const bindEvents = (app: FastifyInstance, hub: EventHub, gate: Gate): void => {
  app.route({
    method: eventsRoute.method,
    url: apiPrefix + eventsRoute.path,
    exposeHeadRoute: false,
    onRequest: gateHook(gate, eventsRoute),
    handler: (request, reply) => {
      const caller = callerOf(request)
      if (!hub.hasRoom(caller.keyId)) {
        const message = 'This key has as many event streams open as it may. Close one first.'
        sendRefusal(reply, refuse('SV-6001', { message, retryAfterSeconds }))
        return
      }
      reply.hijack()
      for (const [name, value] of Object.entries(reply.getHeaders())) {
        if (value !== undefined) reply.raw.setHeader(name, value)
      }
      reply.raw.writeHead(200, {
        'content-type': 'text/event-stream; charset=utf-8',
        'cache-control': 'no-store',
        // a stream's end is its connection's: nothing is left idle for a close to wait for
        connection: 'close',
        // nginx would otherwise hold events back
        'x-accel-buffering': 'no',
      })
      hub.open(caller, request.headers.authorization, reply.raw)
    },
  })
}
