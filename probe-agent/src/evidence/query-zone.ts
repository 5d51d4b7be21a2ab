import { codeOf } from '@probe-mesh/runtime/errors'
import { createOwnResolver } from '../dns/resolver.ts'
import { limits } from '@probe-mesh/contracts/schema/limits'

/** The part of a resolver that zone lookups use. */
export type ZoneResolver = {
  resolveNs(name: string): Promise<string[]>
  resolveCname(name: string): Promise<string[]>
  cancel(): void
}

/** A separate resolver: background lookups share no queue with measurements. */
export const createZoneResolver = (): ZoneResolver => {
  const resolver = createOwnResolver()
  return { ...resolver, cancel: resolver.close }
}

/**
 * The name servers of the zone that starts at a name; null when no zone starts there. An alias
 * starts no zone (RFC 1034 3.6.2): for it a resolver returns the servers of its target, such as
 * those of a CDN.
 * @returns not ok when the resolver failed or the signal aborted first
 */
export const queryZone = async (
  name: string,
  resolver: ZoneResolver,
  signal: AbortSignal,
): Promise<{ ok: true; servers: readonly string[] | null } | { ok: false }> => {
  try {
    signal.throwIfAborted()
    const servers = await answer(resolver.resolveNs(name), signal)
    if (servers.length === 0) return { ok: true, servers: null }
    const alias = await answer(resolver.resolveCname(name), signal)
    return { ok: true, servers: alias.length > 0 ? null : hostNamesOf(servers) }
  } catch {
    return { ok: false }
  }
}

/** The records, empty when the name has none; rejects when that is unknown. */
const answer = (asked: Promise<string[]>, signal: AbortSignal): Promise<string[]> => {
  const known = asked.catch((error: unknown) => {
    if (hasNone.has(codeOf(error))) return []
    throw error
  })
  return Promise.race([known, aborted(signal)])
}

const hasNone: ReadonlySet<string> = new Set(['ENODATA', 'ENOTFOUND'])

const aborted = (signal: AbortSignal): Promise<never> =>
  new Promise((_, reject) => {
    const abort = (): void => reject(new Error('the lookup timed out', { cause: signal.reason }))
    if (signal.aborted) abort()
    else signal.addEventListener('abort', abort, { once: true })
  })

/** Accepts host names only: the owner of a zone can write anything there. */
const hostName = /^(?=.{1,253}$)[a-z0-9_-]+(?:\.[a-z0-9_-]+)*$/

const hostNamesOf = (servers: readonly string[]): readonly string[] => {
  const names = servers.map((server) => server.toLowerCase().replace(/\.$/, ''))
  return [...new Set(names)]
    .filter((name) => hostName.test(name))
    .toSorted()
    .slice(0, limits.nameServersMax)
}
