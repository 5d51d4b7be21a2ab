import { queryZone, type ZoneResolver } from './query-zone.ts'
import { createLookups, type LookupCounts } from './lookups.ts'
import { isIP } from 'node:net'
import { isLocalhost } from '@probe-mesh/contracts/target/target'

/** The known name servers of the zones of hosts. */
export type NameServers = {
  /**
   * The name servers of the host's zone, lower case, sorted; empty when unknown. Unknown and old
   * entries are looked up in the background: this neither waits nor fails.
   */
  of(host: string): readonly string[]
  readonly counts: Readonly<NameServerCounts>
  close(): void
}

type NameServerCounts = LookupCounts & {
  /** Names whose lookup failed or took too long. */
  failed: number
  /** Names evicted because the cache was full. */
  forgotten: number
}

export const nameServerBounds = {
  /** How long an answer is valid, and how long after a failure the lookup is retried. */
  knownMs: 86_400_000,
  failedMs: 3_600_000,
  namesMax: 20_000,
  lookupsMax: 2,
  waitingMax: 1_000,
  /** Limit for one host, all its names together. */
  lookupMsMax: 5_000,
}

const none: readonly string[] = []

/** A cached answer; null servers: no zone starts at the name, and the parent's servers serve it. */
type Known = { servers: readonly string[] | null; untilMs: number }

/**
 * Learns the name servers of hosts, each once a day. A failed lookup keeps the known servers:
 * during an outage of a DNS provider they show whose outage it is.
 * @param now monotonic, ms
 */
export const createNameServers = (
  { resolver, now = () => performance.now() }: { resolver: ZoneResolver; now?: () => number },
  bounds = nameServerBounds,
): NameServers => {
  const names = new Map<string, Known>()
  const counts = { failed: 0, forgotten: 0 }

  const keep = (name: string, servers: readonly string[] | null, ms: number): void => {
    names.delete(name)
    names.set(name, { servers, untilMs: now() + ms })
    const [oldest] = names.keys()
    if (names.size <= bounds.namesMax || oldest === undefined) return
    names.delete(oldest)
    counts.forgotten += 1
  }

  const learn = async (name: string, signal: AbortSignal): Promise<readonly string[] | null> => {
    const known = names.get(name)
    if (known !== undefined && now() < known.untilMs) return known.servers
    const asked = await queryZone(name, resolver, signal)
    if (asked.ok) {
      keep(name, asked.servers, bounds.knownMs)
      return asked.servers
    }
    counts.failed += 1
    const servers = known === undefined ? none : known.servers
    keep(name, servers, bounds.failedMs)
    return servers
  }

  const lookups = createLookups(async (host, signal) => {
    for (const name of zoneNamesOf(host)) {
      if ((await learn(name, signal)) !== null) return
    }
  }, bounds)

  return {
    of: (host) => {
      for (const name of zoneNamesOf(host)) {
        const known = names.get(name)
        if (known === undefined || known.untilMs <= now()) lookups.request(host)
        if (known === undefined) return none
        if (known.servers !== null) return known.servers
      }
      return none
    },
    get counts() {
      return { ...counts, ...lookups.counts }
    },
    close: () => {
      lookups.close()
      resolver.cancel()
    },
  }
}

/**
 * The names at which the zone of a host may start, the host first. Top-level names are left out,
 * since their servers say nothing about the host. Empty for an address or a single label.
 * @param host as in a URL
 */
export const zoneNamesOf = (host: string): string[] => {
  const name = host.toLowerCase().replace(/\.$/, '')
  if (name.length > nameCharactersMax || isIP(name) !== 0 || isLocalhost(name)) return []
  const labels = name.split('.')
  if (labels.includes('')) return []
  return labels.slice(1).map((_, index) => labels.slice(index).join('.'))
}

const nameCharactersMax = 253
