import { BlockList, isIP } from 'node:net'

type Environment = Readonly<Record<string, string | undefined>>

/** A proxy, and the variable that names it. */
export type Proxy = { url: URL; variable: string }

/** A connection that failed on the way through a proxy. */
export class ThroughProxy extends Error {
  override name = 'ThroughProxy'
}

const variables = { 'http:': ['http_proxy', 'HTTP_PROXY'], 'https:': ['https_proxy', 'HTTPS_PROXY'] } as const

/**
 * The proxy for a URL by `HTTPS_PROXY`, `HTTP_PROXY` and `NO_PROXY`, small letters first, as curl and Go have it.
 * This machine is never asked for through a proxy. Pure.
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
  const given = environment[variable] ?? ''
  const full = given.includes('://') ? given : `http://${given}`
  if (URL.canParse(full)) {
    const proxy = new URL(full)
    if (/^https?:$/.test(proxy.protocol) && proxy.hostname !== '') return { url: proxy, variable }
  }
  // it may contain a password, so it is not repeated
  throw new Error(`${variable} is not the URL of an HTTP proxy, such as http://proxy.example.com:3128`)
}

/** The host of a URL in small letters, without the brackets of an IPv6 address. */
export const hostOf = ({ hostname }: URL): string => hostname.replace(/^\[|\]$/g, '').toLowerCase()
const portOf = ({ port, protocol }: URL): string => port || (protocol === 'https:' ? '443' : '80')

export const isLoopback = (host: string): boolean =>
  host === 'localhost' || host === '::1' || (isIP(host) === 4 && host.startsWith('127.'))

/** `example.com` also excludes what is below it, as does `.example.com`; addresses may be networks. */
const isExcluded = (rule: string, host: string, port: string): boolean => {
  if (rule === '') return false
  if (rule === '*') return true
  if (rule.includes('/')) return isInNetwork(rule, host)
  const [, name = '', itsPort] = /^(.*?)(?::(\d+))?$/.exec(rule.replace(/^\*?\./, '').toLowerCase()) ?? []
  if (isIP(rule) === 6) return host === rule.toLowerCase()
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
