import { codeOf } from '@probe-mesh/runtime/errors'
import { isIP } from 'node:net'
import type { Context } from '../../terminal/context.ts'
import type { Finding } from './findings.ts'

/** Every address of a host. @throws if it has none */
export type Lookup = (host: string) => Promise<readonly { address: string; family: number }[]>

const proxyVariables = ['HTTPS_PROXY', 'https_proxy', 'HTTP_PROXY', 'http_proxy']

/** The path to the API host before anything is sent: address, proxies, and encryption. */
export const networkFindings = async (
  lookup: Lookup,
  apiUrl: string,
  environment: Context['environment'],
): Promise<Finding[]> => {
  const url = new URL(apiUrl)
  const host = url.hostname.replace(/^\[|\]$/g, '')
  const isLocal = host === 'localhost' || host === '::1' || (isIP(host) === 4 && host.startsWith('127.'))
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
        message: `${href} is not encrypted: others on the network path can read the key.`,
        next: 'Use https if the API supports it.',
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
    return {
      level: 'fail',
      topic: 'dns',
      message: `${host} does not resolve on this machine (${codeOf(error) || String(error)}).`,
      next: 'Check the spelling of SERVICE_API_URL or --api-url, and the DNS resolver of this machine.',
    }
  }
}

/** Node's `fetch` uses a proxy only with NODE_USE_ENV_PROXY. */
const proxyFindings = (environment: Context['environment']): Finding[] => {
  const set = proxyVariables.filter((name) => environment[name])
  if (set.length === 0) return []
  const usesProxy = environment['NODE_USE_ENV_PROXY'] === '1'
  return [
    usesProxy
      ? { level: 'ok', topic: 'proxy', message: `${set.join(', ')}, used by NODE_USE_ENV_PROXY` }
      : {
          level: 'warn',
          topic: 'proxy',
          message: `${set.join(', ')} is set, but this command does not use it.`,
          next: 'To reach the API through the proxy, set NODE_USE_ENV_PROXY=1 (Node 22.21, 24.5 or newer).',
        },
  ]
}

const certificateFindings = (environment: Context['environment']): Finding[] =>
  environment['NODE_TLS_REJECT_UNAUTHORIZED'] === '0'
    ? [
        {
          level: 'warn',
          topic: 'tls',
          message:
            'NODE_TLS_REJECT_UNAUTHORIZED=0: certificates are not verified, so anyone can impersonate the API.',
          next: 'Unset it, and trust your own certificate with NODE_EXTRA_CA_CERTS.',
        },
      ]
    : []
