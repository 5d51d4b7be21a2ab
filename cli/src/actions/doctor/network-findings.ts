import { codeOf, messageOf } from '@probe-mesh/runtime/errors'
import { hostOf, isLoopback, proxyOf, type Proxy } from '@probe-mesh/runtime/proxy'
import { isIP } from 'node:net'
import type { Context } from '../../terminal/context.ts'
import type { Finding } from './findings.ts'

/** Every address of a host. @throws if it has none */
export type Lookup = (host: string) => Promise<readonly { address: string; family: number }[]>

/** The path to the API host before anything is sent: address, proxies, and encryption. */
export const networkFindings = async (
  lookup: Lookup,
  apiUrl: string,
  environment: Context['environment'],
): Promise<Finding[]> => {
  const url = new URL(apiUrl)
  const host = hostOf(url)
  const isLocal = isLoopback(host)
  try {
    const proxy = proxyOf(url, environment)
    // the proxy resolves the name
    const isResolvedHere = proxy === null && isIP(host) === 0
    return [
      addressFinding(url, isLocal),
      ...(isResolvedHere ? [await nameFinding(lookup, host)] : []),
      ...(proxy === null ? [] : [proxyFinding(proxy)]),
      ...certificateFindings(environment),
    ]
  } catch (error) {
    const next = 'Correct the variable, or name the host in NO_PROXY.'
    return [
      addressFinding(url, isLocal),
      { level: 'fail', topic: 'proxy', message: `${messageOf(error)}.`, next },
    ]
  }
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

const proxyFinding = ({ url, variable }: Proxy): Finding => ({
  level: 'ok',
  topic: 'proxy',
  message: `${url.host}, by ${variable}`,
})

const certificateFindings = (environment: Context['environment']): Finding[] =>
  environment['NODE_TLS_REJECT_UNAUTHORIZED'] === '0'
    ? [
        {
          level: 'warn',
          topic: 'tls',
          message:
            'NODE_TLS_REJECT_UNAUTHORIZED=0: certificates are not verified, so anyone can impersonate the API.',
          next: 'Unset it, and add your own issuer to the certificates of this machine, or to NODE_EXTRA_CA_CERTS.',
        },
      ]
    : []
