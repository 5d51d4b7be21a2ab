import { parseResolverAddress, type ResolverAddress } from '@probe-mesh/contracts/target/dns-target'
import { failureOf, stopped } from '@probe-mesh/probe-agent/src/request/failure'
import type { Failure } from '@probe-mesh/probe-agent/src/request/outcome'
import type { Exchange } from './query-resolver.ts'

/** The limit of a resolv.conf. */
const resolversMax = 3

/** Parses `dns.getServers()`: unique, in its order. */
export const ownResolversOf = (servers: readonly string[]): ResolverAddress[] => {
  const known = new Map<string, ResolverAddress>()
  for (const server of servers) {
    const resolver = parseResolverAddress(server)
    if (resolver !== null) known.set(`${resolver.address} ${resolver.port}`, resolver)
  }
  return [...known.values()].slice(0, resolversMax)
}

const silent = failureOf('dns', 'ETIMEOUT', { local: false })
const failing = failureOf('dns', 'ESERVFAIL', { local: false })
export const unconfirmed: Failure = {
  cause: 'dns_unconfirmed',
  fault: 'probe',
  reason: 'no second resolver of the probe confirmed that the name does not exist',
}

/** The combined answer of the agent's resolvers; their failure is the probe's fault. */
type OwnAnswer =
  | Extract<Exchange, { ok: true }>
  | { ok: false; failure: Failure; answered: boolean; resolver: ResolverAddress | null }

/**
 * Queries the agent's own resolvers in turn until one answers. If there are two, both must report
 * that a name does not exist (S-810).
 * @param ask queries one within its share of the time: `1 / left` of the rest
 */
export const queryOwnResolvers = async (
  resolvers: readonly ResolverAddress[],
  ask: (resolver: ResolverAddress, left: number) => Promise<Exchange>,
): Promise<OwnAnswer> => {
  let answered = false
  let failure = silent
  let notFound = false
  for (const [index, resolver] of resolvers.entries()) {
    const exchange = await ask(resolver, resolvers.length - index)
    answered ||= exchange.answered
    if (exchange.ok) {
      const { rcode } = exchange.answer
      const confirmed = rcode === 'NXDOMAIN' && (notFound || resolvers.length === 1)
      if (rcode === 'NOERROR' || confirmed) return exchange
      if (rcode === 'NXDOMAIN') notFound = true
      else failure = failing
    } else if (exchange.failure.cause === stopped.cause) {
      return exchange
    } else if (failure === silent && exchange.failure.fault === 'probe') {
      failure = exchange.failure
    }
  }
  const resolver = resolvers.at(-1) ?? null
  return { ok: false, failure: notFound ? unconfirmed : failure, answered, resolver }
}
