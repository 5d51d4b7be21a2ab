import { classifyAddress } from './address.ts'
import type { AllowList } from './address.ts'
import { isInternalName } from './dns-target.ts'

/** Asks a process's own resolvers; none where the name has none, or they cannot say. */
export type ZoneLookup = {
  addresses(name: string): Promise<readonly string[]>
  nameServers(name: string): Promise<readonly string[]>
  aliases(name: string): Promise<readonly string[]>
}

/** The part of a c-ares resolver that is used. */
export type ZoneResolver = {
  resolve4(name: string): Promise<string[]>
  resolve6(name: string): Promise<string[]>
  /** Without it no zone is known to be inside. */
  resolveNs?(name: string): Promise<string[]>
  resolveCname?(name: string): Promise<string[]>
}

/** Zones above a name that are looked for: what is deeper is in one of them. */
const levelsMax = 8
const nameServersMax = 4
/** A name that goes on after so many others counts as inside. */
const aliasesMax = 8

/**
 * Whether a name, one that it is an alias of, or the zone of either is known only to the network of this
 * process: the name leads to an address that is no public target, or a name server of a zone does.
 * What own resolvers say of such names is told to nobody, not even that one does not exist, or a check
 * would be a way to list them. Zones whose servers the operator opened are told of.
 */
export const isInsideName = async (
  name: string,
  lookup: ZoneLookup,
  allow: AllowList,
): Promise<boolean> => {
  const [leadsInside, isInside, aliasInside] = await Promise.all([
    lookup.addresses(name).then((addresses) => addresses.some((ip) => isInternal(ip, allow))),
    isInsideZone(name, lookup, allow),
    isAliasOfInside(name, lookup, allow),
  ])
  return leadsInside || isInside || aliasInside
}

/** The same of a name that the resolver says does not exist or has no address. */
export const isAbsentInside = async (
  name: string,
  resolver: ZoneResolver,
  allow: AllowList,
): Promise<boolean> => {
  if (resolver.resolveNs === undefined) return false
  const none = (): string[] => []
  const lookup: ZoneLookup = {
    addresses: async (host) =>
      (
        await Promise.all([
          resolver.resolve4(host).catch(none),
          resolver.resolve6(host).catch(none),
        ])
      ).flat(),
    nameServers: async (zone) => (await resolver.resolveNs?.(zone).catch(none)) ?? [],
    aliases: async (host) => (await resolver.resolveCname?.(host).catch(none)) ?? [],
  }
  return isInsideName(name, lookup, allow)
}

/** Anybody may name an inside name as the alias of their own. */
const isAliasOfInside = async (
  name: string,
  lookup: ZoneLookup,
  allow: AllowList,
): Promise<boolean> => {
  let host = name
  for (let count = 0; count < aliasesMax; count += 1) {
    const [alias] = await lookup.aliases(host)
    if (alias === undefined) return false
    host = hostOf(alias)
    if (isInternalName(host, allow) || (await isInsideZone(host, lookup, allow))) return true
  }
  return true
}

const isInsideZone = async (
  name: string,
  lookup: ZoneLookup,
  allow: AllowList,
): Promise<boolean> => {
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

const isInsideServer = async (
  server: string,
  lookup: ZoneLookup,
  allow: AllowList,
): Promise<boolean> => {
  const host = hostOf(server)
  const addresses = await lookup.addresses(host)
  if (addresses.length > 0) return addresses.some((ip) => isInternal(ip, allow))
  return isInternalName(host, allow)
}

const hostOf = (name: string): string => name.toLowerCase().replace(/\.$/, '')

const isInternal = (ip: string, allow: AllowList): boolean => !classifyAddress(ip, allow).allowed
