import { hash, timingSafeEqual } from 'node:crypto'
import { isIP } from 'node:net'
import { gatewayClientHeader, gatewayKeyHeader } from '@probe-mesh/contracts/outage/gateway'
import { refuse, type Refusal } from '@probe-mesh/contracts/schema/refusal'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Logger } from 'pino'
import { Counter, type Registry } from 'prom-client'
import type { AdmitRequest } from './admit-requests.ts'
import { cleanJson } from './clean-json.ts'
import { sendRefusal } from './send-refusal.ts'

/** Wrong keys are logged at most once in this time, ms. */
const refusalLogMs = 60_000

declare module 'fastify' {
  interface FastifyRequest {
    /** The address of the caller of a trusted gateway; null for other clients. */
    gatewayClient: string | null
  }
}

/**
 * Decides, before all other checks, whether a request comes from a trusted gateway. SV-1010 for a wrong key, and
 * for any key if none is configured; SV-2001 without the address of the gateway's caller. Answers to a gateway
 * are cleaned, because a model reads them.
 */
export const trustGateways = (
  app: FastifyInstance,
  options: { gatewayKey: string | null; registry: Registry; log: Logger; now: () => number },
): AdmitRequest => {
  const isKey = keyTest(options.gatewayKey)
  const requests = new Counter({
    name: 'gateway_requests_total',
    help: 'Requests with a Gateway-Key, by outcome: trusted, refused',
    labelNames: ['outcome'] as const,
    registers: [options.registry],
  })
  for (const outcome of ['trusted', 'refused'] as const) requests.inc({ outcome }, 0)

  const { log, now } = options
  let loggedAtMs = Number.NEGATIVE_INFINITY
  const logRefusal = (address: string): void => {
    if (now() - loggedAtMs < refusalLogMs) return
    loggedAtMs = now()
    const why =
      options.gatewayKey === null ? 'no GATEWAY_KEY is set here' : 'the gateway has a different GATEWAY_KEY'
    log.warn(
      { address, why },
      'an MCP gateway was refused; set the same GATEWAY_KEY on the gateway and on all control planes',
    )
  }

  app.decorateRequest('gatewayClient', null)
  app.addHook<unknown>('onSend', (request, reply, payload, done) => {
    const cleans = isFromGateway(request) && typeof payload === 'string'
    const isJson = cleans && /\bjson\b/.test(String(reply.getHeader('content-type')))
    done(null, isJson ? cleanJson(payload) : payload)
  })
  return (request, reply) => {
    const key = request.headers[gatewayKeyHeader]
    if (key === undefined) return true
    const isTrusted = isKey(key)
    if (!isTrusted) logRefusal(request.ip)
    const client = isTrusted ? clientOf(request) : refuse('SV-1010')
    requests.inc({ outcome: typeof client === 'string' ? 'trusted' : 'refused' })
    if (typeof client === 'string') request.gatewayClient = client
    else sendRefusal(reply, client)
    return typeof client === 'string'
  }
}

export const isFromGateway = (request: FastifyRequest): boolean => request.gatewayClient !== null

/** The address of the client. For a gateway it is the address of the gateway's caller. */
export const addressOf = (request: FastifyRequest): string => request.gatewayClient ?? request.ip

/** Compares hashes, so that the time of a comparison reveals neither content nor length of the key. */
const keyTest = (gatewayKey: string | null): ((key: unknown) => boolean) => {
  if (gatewayKey === null) return () => false
  const digest = digestOf(gatewayKey)
  return (key) => timingSafeEqual(digestOf(String(key)), digest)
}

const digestOf = (key: string): Buffer => hash('sha256', key, 'buffer')

const clientOf = (request: FastifyRequest): string | Refusal => {
  const client = request.headers[gatewayClientHeader]
  if (typeof client === 'string' && isIP(client) !== 0) return client
  const errors = [{ path: 'Gateway-Client', message: "must be the IP address of the gateway's caller" }]
  return refuse('SV-2001', { status: 400, errors })
}
