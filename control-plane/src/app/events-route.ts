import { dashboardEventsRoute } from '@probe-mesh/contracts/api/dashboard-routes'
import { limits } from '@probe-mesh/contracts/schema/limits'
import { isRefusal, refuse } from '@probe-mesh/contracts/schema/refusal'
import { eventsRoute } from '@probe-mesh/contracts/api/routes'
import { apiPrefix, type InputOf } from '@probe-mesh/contracts/schema/route'
import type { FastifyInstance, FastifyReply } from 'fastify'
import { isSessionValid } from '../login/find-session.ts'
import { dashboardPrefix } from './dashboard.ts'
import type { EventHub, Watcher } from './event-hub.ts'
import { callerOf, gateHook, type Gate } from '../http/gate.ts'
import { parseInput } from '../http/parse-input.ts'
import { sendRefusal } from '../http/send-refusal.ts'
import { sessionTokenOf } from '../login/cookies.ts'
import { ownPagesHook, sessionHook, sessionOwnerOf, type SessionGate } from '../login/session-gate.ts'

const retryAfterSeconds = 15
const allTaken = `The limit of event streams of this server is reached. Retry in ${retryAfterSeconds} s.`
const accountHasAll = 'The limit of event streams of this account is reached. Close one first.'

/** `GET /v1/events`: server-sent events of the caller's account. */
export const bindEvents = (app: FastifyInstance, hub: EventHub, gate: Gate): void => {
  app.route({
    method: eventsRoute.method,
    url: apiPrefix + eventsRoute.path,
    exposeHeadRoute: false,
    onRequest: gateHook(gate, eventsRoute),
    handler: (request, reply) => {
      const { accountId, keyId } = callerOf(request)
      const { authorization } = request.headers
      const isStillValid = async (): Promise<boolean> =>
        !isRefusal(await gate.keys.authenticate(authorization, accountId))
      const message = `The limit of ${limits.eventStreamsPerOwnerMax} event streams of this key is reached. Close one first.`
      stream(reply, hub, { accountId, ownerId: keyId, isStillValid }, message)
    },
  })
}

/** `GET /dashboard-api/events`: the same for logged-in users. Opening a stream costs one read. */
export const bindDashboardEvents = (app: FastifyInstance, hub: EventHub, gate: SessionGate): void => {
  app.route({
    method: dashboardEventsRoute.method,
    url: dashboardPrefix + dashboardEventsRoute.path,
    exposeHeadRoute: false,
    onRequest: [ownPagesHook, sessionHook(gate, dashboardEventsRoute)],
    handler: (request, reply) => {
      const input = parseInput(dashboardEventsRoute, request)
      if (isRefusal(input)) {
        sendRefusal(reply, input)
        return
      }
      const { kinds } = input.query as InputOf<typeof dashboardEventsRoute>['query']
      const { id, accountId } = sessionOwnerOf(request).session
      const token = sessionTokenOf(request.headers.cookie)
      const isStillValid = async (): Promise<boolean> =>
        token !== null && (await isSessionValid(gate.login, token))
      const message = `The limit of ${limits.eventStreamsPerOwnerMax} live pages is reached. Close one first.`
      stream(reply, hub, { accountId, ownerId: id, kinds, heartbeatAsEvent: true, isStillValid }, message)
    },
  })
}

const stream = (reply: FastifyReply, hub: EventHub, watcher: Watcher, message: string): void => {
  const place = hub.reserve(watcher)
  if (place === 'all') {
    sendRefusal(reply, refuse('SV-9002', { message: allTaken, retryAfterSeconds }))
    return
  }
  if (typeof place === 'string') {
    const text = place === 'share' ? accountHasAll : message
    sendRefusal(reply, refuse('SV-6001', { message: text, retryAfterSeconds }))
    return
  }
  reply.hijack()
  for (const [name, value] of Object.entries(reply.getHeaders())) {
    if (value !== undefined) reply.raw.setHeader(name, value)
  }
  reply.raw.writeHead(200, {
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-store',
    // the connection ends with the stream, so that no idle connection delays a close
    connection: 'close',
    // otherwise nginx buffers events
    'x-accel-buffering': 'no',
  })
  hub.open(watcher, reply.raw, place)
}
