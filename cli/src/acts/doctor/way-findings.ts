import { isIP } from 'node:net'
import type { World } from '../../terminal/world.ts'
import type { Finding } from './findings.ts'

/** Every address of a host. @throws where it has none */
export type Lookup = (host: string) => Promise<readonly { address: string; family: number }[]>

const proxyVariables = ['HTTPS_PROXY', 'https_proxy', 'HTTP_PROXY', 'http_proxy']

/** The way to the API's host before anything is sent: its address, proxies, and who could listen in. */
export const wayFindings = async (
  lookup: Lookup,
  apiUrl: string,
  environment: World['environment'],
): Promise<Finding[]> => {
  const url = new URL(apiUrl)
  const host = url.hostname.replace(/^\[|\]$/g, '')
  const isLocal =
    host === 'localhost' || host === '::1' || (isIP(host) === 4 && host.startsWith('127.'))
  return [
    addressFinding(url, isLocal),
    ...(isIP(host) === 0 ? [await nameFinding(lookup, host)] : []),
    ...(isLocal ? [] : proxyFindings(environment)),
    ...certificateFindings(environment),
  ]
}

const addressFinding = ({ href, protocol }: URL, isLocal: boolean): Finding =>
  protocol === 'http:' && !isLocal
    ? {
        level: 'warn',
        topic: 'address',
        message: `${href} is not encrypted: whoever is on the way can read the key.`,
        next: 'Use https where the API has it.',
      }
    : { level: 'ok', topic: 'address', message: href }

const nameFinding = async (lookup: Lookup, host: string): Promise<Finding> => {
  try {
    const found = await lookup(host)
    const families = [...new Set(found.map(({ family }) => `IPv${family}`))]
    const message = `${host} is ${found.map(({ address }) => address).join(', ')}`
    return families.length === 1 && families[0] === 'IPv6'
      ? { level: 'ok', topic: 'dns', message: `${message}: this machine needs IPv6 to reach it` }
      : { level: 'ok', topic: 'dns', message }
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : String(error)
    return {
      level: 'fail',
      topic: 'dns',
      message: `${host} has no address here (${code}).`,
      next: 'Look at the spelling of SERVICE_API_URL or --api-url, and at the resolver of this machine.',
    }
  }
}

/** Node's `fetch` goes past proxies unless it is told. */
const proxyFindings = (environment: World['environment']): Finding[] => {
  const set = proxyVariables.filter((name) => environment[name])
  if (set.length === 0) return []
  const told = environment['NODE_USE_ENV_PROXY'] === '1'
  return [
    told
      ? { level: 'ok', topic: 'proxy', message: `${set.join(', ')}, used by NODE_USE_ENV_PROXY` }
      : {
          level: 'warn',
          topic: 'proxy',
          message: `${set.join(', ')} is set, and Node goes past it.`,
          next: 'Set NODE_USE_ENV_PROXY=1 where the API is reached through the proxy (Node 22.21, 24.5 or newer).',
        },
  ]
}

const certificateFindings = (environment: World['environment']): Finding[] =>
  environment['NODE_TLS_REJECT_UNAUTHORIZED'] === '0'
    ? [
        {
          level: 'warn',
          topic: 'tls',
          message:
            'NODE_TLS_REJECT_UNAUTHORIZED=0: certificates are not checked, so anybody could answer as the API.',
          next: 'Unset it, and name a certificate of your own in NODE_EXTRA_CA_CERTS.',
        },
      ]
    : []
