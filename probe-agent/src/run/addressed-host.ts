import { isIP } from 'node:net'
import type { Assignment } from '@probe-mesh/contracts/mesh/assignment'

/** The host name that an assignment begins at; null where it is an address, or there is none. */
export const addressedHost = (assignment: Assignment): string | null => {
  const host = hostOf(assignment)?.toLowerCase().replace(/\.$/, '') ?? ''
  return host === '' || host.startsWith('[') || isIP(host) !== 0 ? null : host
}

const hostOf = (assignment: Assignment): string | undefined => {
  switch (assignment.type) {
    case 'http':
      return URL.parse(assignment.url)?.hostname
    case 'multistep':
      return URL.parse(assignment.steps[0]?.url ?? '')?.hostname
    case 'browser':
      return URL.parse(assignment.settings.url)?.hostname
    case 'dns':
      return assignment.settings.name
    case 'tcp':
    case 'smtp':
      return assignment.settings.host
    default:
      return assignment satisfies never
  }
}
