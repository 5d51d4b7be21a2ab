import { Gauge, type Registry } from 'prom-client'

/** The metric with the address of the last proxy whose `X-Forwarded-For` was not believed. */
export const notTrustedFigure = 'http_forwarded_by_untrusted'

/** Whether a proxy forwarded a request, and TRUST_PROXY allows it. */
export const forwardings = ['none', 'trusted', 'not_trusted'] as const
export type Forwarding = (typeof forwardings)[number]

/** A request of Fastify: `ips` has the peer first, then what trusted proxies said. */
type Arrived = {
  ips?: readonly string[] | undefined
  headers: Readonly<Record<string, unknown>>
  socket: { remoteAddress?: string | undefined }
}

/** Tells how requests arrived, and shows proxies that TRUST_PROXY lacks in the metrics. */
export const createForwardingWatch = (
  registry: Registry,
  now: () => number,
): ((request: Arrived) => Forwarding) => {
  // a control plane and a gateway in one process have one registry
  const known = registry.getSingleMetric(notTrustedFigure) as Gauge<'address'> | undefined
  const untrusted =
    known ??
    new Gauge({
      name: notTrustedFigure,
      help: 'Unix time of the last request with an X-Forwarded-For that TRUST_PROXY does not allow, by the address of the last such peer',
      labelNames: ['address'] as const,
      registers: [registry],
    })
  return ({ ips, headers, socket }) => {
    if ((ips?.length ?? 0) > 1) return 'trusted'
    if (headers['x-forwarded-for'] === undefined) return 'none'
    // one address at most, whatever clients send
    untrusted.reset()
    untrusted.set({ address: socket.remoteAddress ?? '' }, Math.floor(now() / 1_000))
    return 'not_trusted'
  }
}
