import { askZone } from './ask-zone.ts'
import type { ZoneResolver } from './ask-zone.ts'
import { createLookups } from './lookups.ts'
import type { LookupCounts } from './lookups.ts'
import { zoneNamesOf } from './zone-names.ts'

/** What is known of the name servers of the zones that hosts are in. */
export type NameServers = {
  /**
   * Those of the host's zone as known now, lower case, sorted; empty where they are not known. What
   * is unknown or old is looked up in the background: this neither waits nor fails.
   */
  of(host: string): readonly string[]
  readonly counts: Readonly<NameServerCounts>
  close(): void
}

export type NameServerCounts = LookupCounts & {
  /** Names whose lookup failed or took too long. */
  failed: number
  /** Names forgotten because too many are known. */
  forgotten: number
}

export const nameServerBounds = {
  /** How long an answer is believed, and how long after a failure the same is asked again. */
  knownMs: 86_400_000,
  failedMs: 3_600_000,
  namesMax: 20_000,
  lookupsMax: 2,
  waitingMax: 1_000,
  /** One host's lookup, all its names together. */
  lookupMsMax: 5_000,
}

const none: readonly string[] = []

/** A name as it was answered: null where no zone begins at it, and so its parent's servers serve it. */
type Known = { servers: readonly string[] | null; untilMs: number }

/**
 * Learns which name servers hosts depend on, each once a day. A failure changes nothing that is
 * known: when a DNS provider is away, this is what tells whose outage it is.
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
    const asked = await askZone(name, resolver, signal)
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
        if (known === undefined || known.untilMs <= now()) lookups.ask(host)
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
