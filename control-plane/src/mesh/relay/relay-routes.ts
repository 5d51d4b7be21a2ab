import { isRefusal, refuse, type Refusal } from '@probe-mesh/contracts/schema/refusal'
import {
  OpenRelayInput,
  RelayPresenceInput,
  RelayReadingsQuery,
  RelayRunReply,
  relayLimits,
  relayPrefix,
} from '@probe-mesh/contracts/agent/relay'
import type { Place } from '@probe-mesh/runtime/fair-pool'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { z } from 'zod'
import type { FlooredPlaces } from '@probe-mesh/runtime/account-turns'
import { withDeadline } from '@probe-mesh/runtime/deadline'
import type { AdmittedAgent, RelayContext } from './context.ts'
import type { AgentStream, Relay } from './relay.ts'
import { createEventStream, type EventStream } from '../../http/event-stream.ts'
import { parseInput } from '../../http/parse-input.ts'
import { createRelayDoor } from './relay-door.ts'
import { sendJson } from '../../http/send-json.ts'
import { sendRefusal } from '../../http/send-refusal.ts'

const storeMsMax = 10_000
const retryAfterSeconds = 5
const RunParams = z.object({ id: z.uuid() })

type Capabilities = Pick<RelayContext, 'sql' | 'now'> & {
  /** null until the app is ready. */
  relay: () => Relay | null
  /** The places of agents' streams, by account. */
  streams: FlooredPlaces
}

/**
 * The routes of private agents (`contracts/src/agent/relay.ts`), outside the REST API. Each request carries
 * the agent's own token, which is looked up every time, so that a revoked token fails at once.
 */
export const bindRelay = (app: FastifyInstance, capabilities: Capabilities): void => {
  const { sql, now, relay, streams } = capabilities
  const door = createRelayDoor({ sql, now, onRefused: (reason) => relay()?.refused(reason) })

  const admitted = (request: FastifyRequest): Promise<AdmittedAgent | Refusal> =>
    withDeadline(door.during(request, door.admit(request)), storeMsMax)
  const answer =
    (work: (at: Relay, agent: AdmittedAgent, request: FastifyRequest) => Promise<object | Refusal>) =>
    async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
      const at = relay()
      if (at === null) return sendRefusal(reply, refuse('SV-9002', { retryAfterSeconds }))
      const agent = await admitted(request)
      if (isRefusal(agent)) return sendRefusal(reply, agent)
      const done = await withDeadline(door.during(request, work(at, agent, request)), storeMsMax)
      return isRefusal(done) ? sendRefusal(reply, done) : sendJson(reply, JSON.stringify(done))
    }

  app.route({
    method: 'POST',
    url: `${relayPrefix}/stream`,
    onRequest: door.hook('presence'),
    handler: async (request, reply) => {
      const at = relay()
      if (at === null) return sendRefusal(reply, refuse('SV-9002', { retryAfterSeconds }))
      const agent = await admitted(request)
      if (isRefusal(agent)) return sendRefusal(reply, agent)
      const input = parseInput({ body: OpenRelayInput }, request)
      if (isRefusal(input)) return sendRefusal(reply, input)
      const place = streams.take(agent.accountId)
      if (typeof place === 'string') {
        const message = place === 'share' ? accountHasAll : allTaken
        return sendRefusal(reply, refuse('SV-9002', { message, retryAfterSeconds }))
      }
      const body = input.body as OpenRelayInput
      const held = await withDeadline(door.during(request, at.claim(agent, body)), storeMsMax).catch(
        (error: unknown) => {
          place.release()
          throw error
        },
      )
      if (held !== null) {
        place.release()
        return sendRefusal(reply, held)
      }
      const opened = serve(at, agent, body, reply, place)
      void door.during(request, opened).then(() => door.answered(request))
      return reply
    },
  })
  app.route({
    method: 'POST',
    url: `${relayPrefix}/presence`,
    onRequest: door.hook('presence'),
    handler: answer(async (at, agent, request) => {
      const input = parseInput({ body: RelayPresenceInput }, request)
      return isRefusal(input) ? input : at.seen(agent, input.body as RelayPresenceInput)
    }),
  })
  app.route({
    method: 'POST',
    url: `${relayPrefix}/readings`,
    bodyLimit: relayLimits.bodyBytesMax,
    onRequest: door.hook('readings'),
    handler: answer(async (at, agent, request) => {
      const query = RelayReadingsQuery.safeParse(request.query)
      if (!query.success) return refuse('SV-2001')
      const { body, bodyText } = request
      return at.take(agent, { ...query.data, body, bytes: Buffer.byteLength(bodyText) })
    }),
  })
  app.route({
    method: 'POST',
    url: `${relayPrefix}/runs/:id`,
    bodyLimit: relayLimits.bodyBytesMax,
    onRequest: door.hook('runs'),
    handler: answer(async (at, agent, request) => {
      const input = parseInput({ params: RunParams, body: RelayRunReply }, request)
      if (isRefusal(input)) return input
      const { id } = input.params as z.output<typeof RunParams>
      const isOpen = at.answer(agent, id, input.body as RelayRunReply)
      return isOpen ? { taken: true } : refuse('SV-3001', { message: notOpen })
    }),
  })
}

const allTaken = 'This control plane serves the maximum number of private agents. Retry in 5 s.'
const accountHasAll =
  'The private agents of this account have the maximum number of streams. Stop an agent, or retry in 5 s.'
const notOpen = 'No run with this id waits for an answer of this agent.'

/** Settles once the agent is served, or has left. */
const serve = async (
  at: Relay,
  agent: AdmittedAgent,
  input: OpenRelayInput,
  reply: FastifyReply,
  place: Place,
): Promise<void> => {
  reply.hijack()
  const { raw } = reply
  // the close event of an earlier disconnect is not received
  if (raw.destroyed) {
    place.release()
    return
  }
  for (const [name, value] of Object.entries(reply.getHeaders())) {
    if (value !== undefined) raw.setHeader(name, value)
  }
  raw.writeHead(200, {
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-store',
    connection: 'close',
    'x-accel-buffering': 'no',
  })
  const events = createEventStream(raw, {
    lagging: () => undefined,
    closed: () => {
      place.release()
      at.ended(agent, input.session)
    },
  })
  events.beat()
  try {
    await withDeadline(at.open(agent, input, toAgentStream(events)), storeMsMax)
    // the agent may have left while its feed was opened
    if (raw.destroyed) at.ended(agent, input.session)
  } catch {
    // the agent connects again
    events.end()
  }
}

const toAgentStream = (events: EventStream): AgentStream => ({
  send: (name, event) => events.push(name, JSON.stringify(event)),
  beat: events.beat,
  end: events.end,
})
