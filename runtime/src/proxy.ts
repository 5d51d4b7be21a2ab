import { BlockList, isIP } from 'node:net'

type Environment = Readonly<Record<string, string | undefined>>

/** A proxy, and the variable that names it. */
export type Proxy = { url: URL; variable: string }

/** A connection that failed on the way through a proxy. */
export class ThroughProxy extends Error {
  override readonly name = 'ThroughProxy'
  readonly variable: string
  constructor({ url, variable }: Proxy, cause: unknown) {
    super(`through the proxy of ${variable} at ${url.host}`, { cause })
    this.variable = variable
  }
}

/** A proxy refused to connect. */
export class ProxyRefused extends Error {
  override readonly name = 'ProxyRefused'
  readonly status: number
  constructor(status: number) {
    super(`the proxy refused the connection with status ${status}`)
    this.status = status
  }
}

const variables = { 'http:': ['http_proxy', 'HTTP_PROXY'], 'https:': ['https_proxy', 'HTTPS_PROXY'] } as const

/**
 * The proxy for a URL by `HTTPS_PROXY`, `HTTP_PROXY` and `NO_PROXY`, small letters first, as curl and Go have it.
 * This machine is never asked for through a proxy.
 * @throws an `Error` when the variable is not the URL of an HTTP proxy
 */
export const proxyOf = (url: URL, environment: Environment): Proxy | null => {
  const names = url.protocol === 'https:' ? variables['https:'] : variables['http:']
  const variable = names.find((name) => environment[name])
  if (variable === undefined) return null
  const excluded = environment['no_proxy'] || environment['NO_PROXY'] || ''
  const host = hostOf(url)
  if (isLoopback(host) || excluded.split(/[\s,]+/).some((rule) => isExcluded(rule, host, portOf(url))))
    return null
  const parsed = parseProxy(environment[variable] ?? '')
  if (typeof parsed === 'string') throw new Error(`${variable} ${parsed}`)
  return { url: parsed, variable }
}

/** @returns the URL of a proxy, which may lack its scheme, or the problem. It may contain a password, so that is not repeated */
export const parseProxy = (given: string): URL | string => {
  const problem = 'is not the URL of an HTTP proxy, such as http://proxy.example.com:3128'
  const full = given.includes('://') ? given : `http://${given}`
  if (!URL.canParse(full)) return problem
  const proxy = new URL(full)
  if (!/^https?:$/.test(proxy.protocol) || proxy.hostname === '') return problem
  try {
    decodeURIComponent(`${proxy.username}${proxy.password}`)
    return proxy
  } catch {
    return 'has a password with a % that is not part of an escape: write it as %25'
  }
}

/** The host of a URL in small letters, without the brackets of an IPv6 address. */
export const hostOf = ({ hostname }: URL): string => hostname.replace(/^\[|\]$/g, '').toLowerCase()
const portOf = ({ port, protocol }: URL): string => port || (protocol === 'https:' ? '443' : '80')

export const isLoopback = (host: string): boolean =>
  host === 'localhost' || host === '::1' || (isIP(host) === 4 && host.startsWith('127.'))

/** Whether a host name is one of these, or below one of them; `*`: any. Addresses are none. */
export const nameRules =
  (rules: readonly string[]): ((host: string) => boolean) =>
  (host) =>
    isIP(host) === 0 && rules.some((rule) => isExcluded(rule, host, ''))

/** `example.com` also excludes what is below it, as does `.example.com`; addresses may be networks. */
const isExcluded = (rule: string, host: string, port: string): boolean => {
  if (rule === '') return false
  if (rule === '*') return true
  if (rule.includes('/')) return isInNetwork(rule, host)
  if (isIP(rule) === 6) return host === rule.toLowerCase()
  const [, given = '', itsPort] = /^(.*?)(?::(\d+))?$/.exec(rule.replace(/^\*?\./, '').toLowerCase()) ?? []
  const name = given.replace(/^\[|\]$/g, '')
  return (itsPort === undefined || itsPort === port) && (host === name || host.endsWith(`.${name}`))
}

const isInNetwork = (rule: string, host: string): boolean => {
  const family = isIP(host)
  const [network = '', bits = ''] = rule.split('/')
  if (family === 0 || isIP(network) !== family || !/^\d{1,3}$/.test(bits)) return false
  if (Number(bits) > (family === 4 ? 32 : 128)) return false
  const list = new BlockList()
  const type = family === 4 ? 'ipv4' : 'ipv6'
  list.addSubnet(network, Number(bits), type)
  return list.check(host, type)
}
