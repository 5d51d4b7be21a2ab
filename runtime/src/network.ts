import { readFileSync } from 'node:fs'
import tls, { type SecureContext } from 'node:tls'
import type { Environment, Rule } from './env.ts'
import { causesOf, messageOf } from './errors.ts'
import { hostOf, nameRules, parseProxy, proxyOf, ProxyRefused, ThroughProxy, type Proxy } from './proxy.ts'
import { optional, right, text, withDefault, wrong, list, type Kind } from './setting.ts'
import { isUnknownIssuer, moreThanDefault } from './system-trust.ts'

/** How a process reaches the world outside: a company's proxy, and the authorities that it trusts. */
export type Network = {
  /** The proxy for a URL; null: none. */
  proxyOf(url: URL): Proxy | null
  /** Whether the proxy, and not this process, resolves a host name. */
  isResolvedByProxy(host: string): boolean
  /** Trusts the authorities of Node, of the system's store and of CA_FILE. undefined: Node's are all. */
  trusted(): SecureContext | undefined
}

/** Without a proxy, and with the authorities of Node. */
export const directNetwork: Network = {
  proxyOf: () => null,
  isResolvedByProxy: () => false,
  trusted: () => undefined,
}

const proxyUrl: Kind<string> = {
  form: 'URL, http:// or https://',
  parse: (given) => {
    const parsed = parseProxy(given)
    return typeof parsed === 'string' ? wrong(parsed) : right(given)
  },
}

/** @returns the certificates, PEM */
const certificates: Kind<readonly string[]> = {
  form: 'path',
  parse: (path) => {
    try {
      const found = readFileSync(path, 'utf8').match(oneCertificate) ?? []
      if (found.length === 0) return wrong(`must be a file of certificates in PEM, and ${path} has none`)
      tls.createSecureContext({ ca: found })
      return right(found)
    } catch (error) {
      return wrong(`must be a readable file of certificates in PEM: ${path}: ${messageOf(error)}`)
    }
  },
}
const oneCertificate = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g

const never = 'Probes never use it.'

/** The variables of a program that sends requests over a company's network. Small letters work too, and win. */
export const networkEnvironment = {
  HTTPS_PROXY: optional(
    proxyUrl,
    'no proxy',
    `Proxy of outgoing https requests, also \`http://name:password@host:port\`. ${never}`,
    { isSecret: true },
  ),
  HTTP_PROXY: optional(proxyUrl, 'no proxy', `Proxy of outgoing http requests. ${never}`, { isSecret: true }),
  NO_PROXY: optional(
    text,
    'none',
    'Hosts that are reached without the proxy: names with all names below them, addresses, CIDRs, each with `:port` if need be, or `*`.',
  ),
  CA_FILE: optional(
    certificates,
    "the authorities of Node and of the system's store",
    'PEM file with further authorities, as of a company. Probes do not trust them.',
  ),
}

export type NetworkSetting = keyof typeof networkEnvironment

/** Of programs that send requests to hosts that accounts name. */
export const proxyNames = withDefault(
  list<readonly string[]>('host names', right),
  [],
  'Hosts whose names the proxy resolves, as in `NO_PROXY`. Of other hosts the control plane checks the addresses, and the proxy gets the address.',
  { shown: 'none' },
)

/** The variables in small letters are no settings of their own, but their problems are found. */
export const networkRule: Rule = (textOf) =>
  ['https_proxy', 'http_proxy'].flatMap((name) => {
    const given = textOf(name)
    const parsed = given === null ? null : parseProxy(given)
    return typeof parsed === 'string' ? [`${name} ${parsed}`] : []
  })

/** @param environment with valid proxies, as `networkRule` checks */
export const openNetwork = (
  environment: Environment,
  more: { certificates: readonly string[] | null; namesAtProxy?: readonly string[] },
): Network => {
  const isNamed = nameRules(more.namesAtProxy ?? [])
  let known: { context: SecureContext | undefined } | null = null
  return {
    proxyOf: (url) => proxyOf(url, environment),
    isResolvedByProxy: (host) => isNamed(host),
    trusted: () => {
      known ??= { context: contextOf([...moreThanDefault(), ...(more.certificates ?? [])]) }
      return known.context
    },
  }
}

const contextOf = (more: readonly string[]): SecureContext | undefined =>
  more.length === 0
    ? undefined
    : tls.createSecureContext({ ca: [...tls.getCACertificates('default'), ...more] })

const causesMax = 6

/** What a person can do about a connection that failed at a proxy or at a certificate; null: nothing of that. */
export const networkRemedy = (error: unknown): string | null => {
  const causes = causesOf(error, causesMax)
  const through = causes.find((cause) => cause instanceof ThroughProxy)
  const status = statusOfRefusal(causes)
  const proxy = through === undefined ? 'the proxy' : `the proxy of ${through.variable}`
  const variable = through?.variable ?? 'HTTPS_PROXY'
  if (status === 407)
    return `${proxy} wants a name and a password (407): set ${variable}=http://name:password@host:port`
  if (status !== null)
    return `${proxy} refuses this host (${status}): allow the host there, or name it in NO_PROXY if it is reached without a proxy`
  if (isUnknownIssuer(error))
    return 'the certificate is from an unknown issuer: name a PEM file with the issuer in CA_FILE'
  if (through !== undefined) return `${proxy} does not answer: check ${variable}`
  return null
}

/** The status with which a proxy refused a tunnel: ours, or as undici words it. */
const statusOfRefusal = (causes: readonly Error[]): number | null => {
  for (const cause of causes) {
    if (cause instanceof ProxyRefused) return cause.status
    const status = /Proxy response \((\d{3})\)/.exec(cause.message)?.[1]
    if (status !== undefined) return Number(status)
  }
  return null
}

/** The proxy for a request to an address that was checked; null: none. NO_PROXY may name the host or the address. */
export const proxyOfPinned = (network: Network, url: URL, address: string): Proxy | null => {
  const proxy = network.proxyOf(url)
  if (proxy === null) return null
  const atAddress = new URL(url)
  atAddress.hostname = address.includes(':') ? `[${address}]` : address
  return hostOf(url) === hostOf(atAddress) ? proxy : network.proxyOf(atAddress)
}
