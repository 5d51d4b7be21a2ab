import { createForwardingWatch } from '@probe-mesh/runtime/forwarded'
import { createMetricsPage } from '@probe-mesh/runtime/metrics-page'
import type { FastifyInstance } from 'fastify'
import type { Registry } from 'prom-client'
import type { Logger } from 'pino'
import { createExpiringCache } from '@probe-mesh/runtime/expiring-cache'
import { withDeadline } from '@probe-mesh/runtime/deadline'
import type { AdmitRequest } from '../http/admit-requests.ts'
import { startDegradations, type DegradableParts, type Degradations } from './degradations.ts'

/**
 * The parts that every request needs, by name, such as `postgres`. Each resolves with whether it is ready, or
 * with the reason why not, for people. An error means not ready.
 */
export type ReadinessProbes = Readonly<Record<string, () => boolean | string | Promise<boolean | string>>>

/** Knows whether clients reach this system. */
export type Reachability = {
  /** A request arrived through a proxy. */
  noteForwarded(): void
  /** The answer to another control plane that checks whether PUBLIC_URL leads to its own system. */
  prove(challenge: string): string
}

type Readiness = {
  ready: boolean
  notReady: string[]
  /** Reasons for people, if a part gave any. */
  reasons?: string[]
}

const probeMsMax = 2_000
/** How long a result is cached, so that frequent requests do not load the databases, ms. */
const readinessAgeMsMax = 1_000

const challengeCharactersMax = 64

/**
 * `/healthz`: the process lives. `/readyz`: whether a proxy may send requests, and which parts are degraded.
 * `/metrics`: its metrics (S-3208).
 * @returns notes for each request whether a proxy forwarded it
 */
export const bindHealth = (
  app: FastifyInstance,
  capabilities: {
    probes: ReadinessProbes
    /** Parts that most requests do not need, tested while the app runs. */
    degradable: DegradableParts
    reach?: Reachability | undefined
    registry: Registry
    /** The token for `/metrics`; null: only this machine may read. */
    metricsToken: string | null
    log: Logger
    now: () => number
  },
): AdmitRequest => {
  const { probes, degradable, reach, registry, metricsToken, log, now } = capabilities
  const metrics = createMetricsPage({ registry, token: metricsToken, now })
  const answers = createExpiringCache<Readiness>({
    now,
    ageMsMax: readinessAgeMsMax,
    entriesMax: 1,
  })

  const probeOne = async (name: string): Promise<{ part: string; reason: string | null } | null> => {
    try {
      const ready = await withDeadline(Promise.resolve(probes[name]?.() ?? false), probeMsMax)
      if (ready === true) return null
      return { part: name, reason: ready === false ? null : ready }
    } catch (error) {
      log.warn({ err: error, part: name }, 'a part is not ready')
      return { part: name, reason: null }
    }
  }

  const probeAll = async (): Promise<{ keep: Readiness; value: Readiness }> => {
    const results = await Promise.all(Object.keys(probes).map(probeOne))
    const missing = results.filter((one) => one !== null)
    const reasons = missing.flatMap(({ reason }) => (reason === null ? [] : [reason]))
    const readiness = {
      ready: missing.length === 0,
      notReady: missing.map(({ part }) => part),
      ...(reasons.length > 0 && { reasons }),
    }
    return { keep: readiness, value: readiness }
  }

  let degradations: Degradations | null = null
  app.addHook('onReady', async () => {
    degradations = startDegradations({ parts: degradable, registry, log })
  })
  app.addHook('onClose', async () => degradations?.close())
  const forwardingOf = createForwardingWatch(registry, now)
  app.get('/healthz', (request) => {
    const { door: challenge } = request.query as { door?: unknown }
    const isAsked = typeof challenge === 'string' && challenge.length <= challengeCharactersMax
    return {
      alive: true,
      ...(isAsked && { proxy: forwardingOf(request) }),
      ...(isAsked && reach !== undefined && { door: reach.prove(challenge) }),
    }
  })
  app.get('/readyz', async (_request, reply) => {
    const readiness = answers.peek('all') ?? (await answers.load('all', '', probeAll))
    return reply
      .code(readiness.ready ? 200 : 503)
      .send({ ...readiness, degraded: degradations?.current() ?? [] })
  })
  app.get('/metrics', async ({ raw: { socket, headers } }, reply) => {
    const answer = await metrics({ remoteAddress: socket.remoteAddress, headers })
    return reply.code(answer.status).headers(answer.headers).send(answer.body)
  })
  return (request) => {
    if (forwardingOf(request) === 'trusted') reach?.noteForwarded()
    return true
  }
}
