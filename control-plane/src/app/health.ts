import { createMetricsPage } from '@probe-mesh/runtime/metrics-page'
import type { FastifyInstance } from 'fastify'
import type { Registry } from 'prom-client'
import type { Logger } from 'pino'
import { createExpiringCache } from '@probe-mesh/runtime/expiring-cache'
import { withDeadline } from '@probe-mesh/runtime/deadline'
import { startDegradations } from './degradations.ts'
import type { DegradableParts, Degradations } from './degradations.ts'

/**
 * What every request needs, by name, such as `postgres`: resolves with whether that part is ready, or with why it
 * is not, for people; throwing means it is not.
 */
export type ReadinessProbes = Readonly<
  Record<string, () => boolean | string | Promise<boolean | string>>
>

/** By which it is known whether clients reach us. */
export type Reachability = {
  /** A request came that a proxy passed on. */
  noteForwarded(): void
  /** The answer to another control plane that asks whether PUBLIC_URL leads to one of its system. */
  prove(challenge: string): string
}

type Readiness = {
  ready: boolean
  notReady: string[]
  /** Sentences, where a part said why. */
  reasons?: string[]
}

const probeMsMax = 2_000
/** However often it is asked, the stores are asked once in this time. */
const readinessAgeMsMax = 1_000

const challengeCharactersMax = 64

/**
 * `/healthz`: the process lives. `/readyz`: a proxy may send it requests, and which parts are degraded for all
 * that. `/metrics`: what it counts (S-3208).
 */
export const bindHealth = (
  app: FastifyInstance,
  capabilities: {
    probes: ReadinessProbes
    /** What most requests do without, followed from when the app is ready until it is closed. */
    degradable: DegradableParts
    reach?: Reachability | undefined
    registry: Registry
    /** What readers of `/metrics` send; null: it answers this machine only. */
    metricsToken: string | null
    log: Logger
    now: () => number
  },
): void => {
  const { probes, degradable, reach, registry, metricsToken, log, now } = capabilities
  const metrics = createMetricsPage({ registry, token: metricsToken, now })
  const answers = createExpiringCache<Readiness>({
    now,
    ageMsMax: readinessAgeMsMax,
    entriesMax: 1,
  })

  const askOne = async (name: string): Promise<{ part: string; reason: string | null } | null> => {
    try {
      const ready = await withDeadline(Promise.resolve(probes[name]?.() ?? false), probeMsMax)
      if (ready === true) return null
      return { part: name, reason: ready === false ? null : ready }
    } catch (error) {
      log.warn({ err: error, part: name }, 'a part is not ready')
      return { part: name, reason: null }
    }
  }

  const askAll = async (): Promise<{ keep: Readiness; value: Readiness }> => {
    const asked = await Promise.all(Object.keys(probes).map(askOne))
    const missing = asked.filter((one) => one !== null)
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
  app.addHook('onRequest', (request, _reply, done) => {
    // the first is who is connected, and any other one whom that passed on
    if ((request.ips?.length ?? 0) > 1) reach?.noteForwarded()
    done()
  })
  app.get('/healthz', (request) => {
    const { door: challenge } = request.query as { door?: unknown }
    const isAsked = typeof challenge === 'string' && challenge.length <= challengeCharactersMax
    return { alive: true, ...(isAsked && reach !== undefined && { door: reach.prove(challenge) }) }
  })
  app.get('/readyz', async (_request, reply) => {
    const readiness = answers.peek('all') ?? (await answers.load('all', '', askAll))
    return reply
      .code(readiness.ready ? 200 : 503)
      .send({ ...readiness, degraded: degradations?.current() ?? [] })
  })
  app.get('/metrics', async ({ raw: { socket, headers } }, reply) => {
    const answer = await metrics({ remoteAddress: socket.remoteAddress, headers })
    return reply.code(answer.status).headers(answer.headers).send(answer.body)
  })
}
