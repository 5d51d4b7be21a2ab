import { classifyAddress, type AllowList } from './address.ts'
import { isInternalName } from './dns-target.ts'

/** Queries the process's own resolvers. Returns an empty list when the name has none or the query fails. */
export type ZoneLookup = {
  addresses(name: string): Promise<readonly string[]>
  nameServers(name: string): Promise<readonly string[]>
  aliases(name: string): Promise<readonly string[]>
}

/** The used part of a c-ares resolver. */
export type ZoneResolver = {
  resolve4(name: string): Promise<string[]>
  resolve6(name: string): Promise<string[]>
  /** Without it no zone can be detected as internal. */
  resolveNs?(name: string): Promise<string[]>
  resolveCname?(name: string): Promise<string[]>
}

/** Zones above a name that are queried. */
const levelsMax = 8
const nameServersMax = 4
/** A longer chain of aliases counts as internal. */
const aliasesMax = 8

/**
 * Whether a name, an alias target of it, or the zone of either is internal to the network of this process: the name
 * or a name server of the zone has a non-public address. The results of own resolvers for internal names are never
 * reported, not even that a name does not exist; otherwise checks could enumerate them. Zones whose servers the
 * operator allowed are not internal.
 */
export const isInsideName = async (name: string, lookup: ZoneLookup, allow: AllowList): Promise<boolean> => {
  const [leadsInside, isInside, aliasInside] = await Promise.all([
    lookup.addresses(name).then((addresses) => addresses.some((ip) => isInternal(ip, allow))),
    isInsideZone(name, lookup, allow),
    isAliasOfInside(name, lookup, allow),
  ])
  return leadsInside || isInside || aliasInside
}

/** The same for a name that does not exist or has no address. */
export const isAbsentInside = async (
  name: string,
  resolver: ZoneResolver,
  allow: AllowList,
): Promise<boolean> => {
  if (resolver.resolveNs === undefined) return false
  const none = (): string[] => []
  const lookup: ZoneLookup = {
    addresses: async (host) =>
      (await Promise.all([resolver.resolve4(host).catch(none), resolver.resolve6(host).catch(none)])).flat(),
    nameServers: async (zone) => (await resolver.resolveNs?.(zone).catch(none)) ?? [],
    aliases: async (host) => (await resolver.resolveCname?.(host).catch(none)) ?? [],
  }
  return isInsideName(name, lookup, allow)
}

/** Anyone can make their own name an alias of an internal name. */
const isAliasOfInside = async (name: string, lookup: ZoneLookup, allow: AllowList): Promise<boolean> => {
  let host = name
  for (let count = 0; count < aliasesMax; count += 1) {
    const [alias] = await lookup.aliases(host)
    if (alias === undefined) return false
    host = hostOf(alias)
    if (isInternalName(host, allow) || (await isInsideZone(host, lookup, allow))) return true
  }
  return true
}

const isInsideZone = async (name: string, lookup: ZoneLookup, allow: AllowList): Promise<boolean> => {
  const labels = name.split('.')
  const zones = labels.map((_, index) => labels.slice(index).join('.')).slice(-levelsMax)
  for (const zone of zones) {
    const servers = await lookup.nameServers(zone)
    if (servers.length === 0) continue
    const found = await Promise.all(
      servers.slice(0, nameServersMax).map((server) => isInsideServer(server, lookup, allow)),
    )
    return found.includes(true)
  }
  return false
}

const isInsideServer = async (server: string, lookup: ZoneLookup, allow: AllowList): Promise<boolean> => {
  const host = hostOf(server)
  const addresses = await lookup.addresses(host)
  if (addresses.length > 0) return addresses.some((ip) => isInternal(ip, allow))
  return isInternalName(host, allow)
}

const hostOf = (name: string): string => name.toLowerCase().replace(/\.$/, '')

const isInternal = (ip: string, allow: AllowList): boolean => !classifyAddress(ip, allow).allowed
