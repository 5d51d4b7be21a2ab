import { isIP } from 'node:net'
import { isLocalhost } from '@probe-mesh/contracts/target/target'

/**
 * The names at which the zone of a host may begin, the host first; never a top-level name, whose
 * servers say nothing of the host. None for an address and a name of one label.
 * @param host as a URL has it
 */
export const zoneNamesOf = (host: string): string[] => {
  const name = host.toLowerCase().replace(/\.$/, '')
  if (name.length > nameCharactersMax || isIP(name) !== 0 || isLocalhost(name)) return []
  const labels = name.split('.')
  if (labels.includes('')) return []
  return labels.slice(1).map((_, index) => labels.slice(index).join('.'))
}

const nameCharactersMax = 253
