import { isIP } from 'node:net'
import { isLocalhost } from '@probe-mesh/contracts/target/target'

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
