import { hostHeaderValidation, originValidation } from '@modelcontextprotocol/fastify'
import { accessLine } from '@probe-mesh/runtime/access-log'
import { limits } from '@probe-mesh/contracts/schema/limits'
import { createRequestIds } from '@probe-mesh/runtime/request-ids'
import { answerHeaders } from '@probe-mesh/runtime/security-headers'
import fastify, { type FastifyInstance } from 'fastify'
import type { Logger } from 'pino'
import type { Registry } from 'prom-client'
import type { GatewayConfig } from './config.ts'
import { allowPages } from './http/allow-pages.ts'
import { bindEndpoints } from './http/endpoints.ts'
import { parseJson, answerOfError, nothingHere, ourFault, refusePacked, send } from './http/errors.ts'
import { bindHealth, createHandshake } from './http/health.ts'
import { gatewayMetrics } from './http/metrics.ts'
import type { ControlPlane } from './upstream/control-plane.ts'
import { createKnownKeys } from './upstream/known-keys.ts'

const requestMsMax = 15_000
const connectionIdleMsMax = 60_000
const keepAliveMsMax = 65_000

/**
 * Creates the gateway, ready to listen. It has no store and no session; its cache of known keys only saves
 * requests. The caller closes the control plane after the gateway.
 */
export const createGateway = (
  capabilities: {
    controlPlane: ControlPlane
    registry: Registry
    log: Logger
    now: () => number
    /** PEM; absent: it answers without TLS. */
    tls?: { cert: Buffer; key: Buffer } | null
  },
  config: Pick<GatewayConfig, 'allowedHosts' | 'allowedOrigins' | 'trustProxy'> & {
    mcpUrl?: string | null
    metricsToken?: string | null
    accessLog?: 'on' | 'off'
  },
): FastifyInstance => {
  const { controlPlane, registry, log, now, tls } = capabilities
  const metrics = gatewayMetrics(registry, controlPlane)
  const app = fastify({
    logger: false,
    bodyLimit: limits.requestBodyBytesMax,
    connectionTimeout: connectionIdleMsMax,
    requestTimeout: requestMsMax,
    keepAliveTimeout: keepAliveMsMax,
    forceCloseConnections: 'idle',
    requestIdHeader: false,
    genReqId: createRequestIds(),
    trustProxy: config.trustProxy,
    return503OnClosing: true,
    frameworkErrors: (error, _request, reply) => send(secure(reply), answerOfError(error) ?? ourFault),
    ...tlsOptions(tls ?? null),
  })
  const secure = answerHeaders({ tls, url: config.mcpUrl })
  app.addHook('onRequest', (_request, reply, done) => {
    secure(reply)
    done()
  })
  parseJson(app)
  app.setErrorHandler((error, request, reply) => {
    const answer = answerOfError(error)
    const { id: requestId } = request
    if (answer === null) log.error({ err: error, url: request.routeOptions.url, requestId }, 'request failed')
    return send(reply, answer ?? ourFault)
  })
  app.setNotFoundHandler((_request, reply) => send(reply, nothingHere))
  if (config.accessLog === 'on') {
    const access = log.child({}, { level: 'info' })
    app.addHook('onResponse', (request, reply, done) => {
      access.info(accessLine({ request, reply }), 'request')
      done()
    })
  }
  const { metricsToken = null } = config
  const readiness = createHandshake(controlPlane, log)
  // logs a wrong key at the start, even without a request for /readyz
  app.addHook('onListen', (done) => {
    void readiness()
    done()
  })
  bindHealth(app, { readiness, registry, metricsToken, now })
  app.register(async (scope) => {
    // DNS rebinding: a page must not reach a gateway on its visitor's machine
    scope.addHook('onRequest', hostHeaderValidation([...config.allowedHosts]))
    scope.addHook('onRequest', originValidation([...config.allowedOrigins]))
    allowPages(scope, ['/mcp', '/public'])
    refusePacked(scope)
    const knownKeys = createKnownKeys(now)
    const onFault = (error: unknown): void => log.error({ err: error }, 'a message of a batch failed')
    bindEndpoints(scope, { controlPlane, knownKeys, onCall: metrics.called, onFault, now }, metrics)
  })
  return app
}

/** The options of a TLS server, typed as those of a plain one: the callers see no difference. */
const tlsOptions = (tls: { cert: Buffer; key: Buffer } | null): { http?: object } =>
  tls === null ? {} : ({ https: { ...tls, minVersion: 'TLSv1.2' } } as { http?: object })
