import { classifyAddress } from '@probe-mesh/contracts/address'
import type { AllowList } from '@probe-mesh/contracts/address'
import { isInternalName } from '@probe-mesh/contracts/dns-target'

/** Asks the agent's own resolvers; none where the name has none, or they cannot say. */
export type ZoneLookup = {
  addresses(name: string): Promise<readonly string[]>
  nameServers(name: string): Promise<readonly string[]>
}

/** Zones above a name that are looked for: what is deeper is in one of them. */
const levelsMax = 8
const nameServersMax = 4

/**
 * Whether a name, or the zone it lies in, is one that only the agent's own network knows: the name leads
 * to an address that is no public target, or a name server of its zone does. What the own resolvers
 * say of such names is told to nobody, not even that one does not exist, or a check would be a way to
 * list them. Zones whose servers the operator opened are told of.
 */
export const isInsideName = async (
  name: string,
  lookup: ZoneLookup,
  allow: AllowList,
): Promise<boolean> => {
  const [leadsInside, isInside] = await Promise.all([
    lookup.addresses(name).then((addresses) => addresses.some((ip) => isInternal(ip, allow))),
    isInsideZone(name, lookup, allow),
  ])
  return leadsInside || isInside
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
  const host = server.toLowerCase().replace(/\.$/, '')
  const addresses = await lookup.addresses(host)
  if (addresses.length > 0) return addresses.some((ip) => isInternal(ip, allow))
  return isInternalName(host, allow)
}

const isInternal = (ip: string, allow: AllowList): boolean => !classifyAddress(ip, allow).allowed
