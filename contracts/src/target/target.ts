import { isIP, isIPv4, isIPv6 } from 'node:net'
import { classifyAddress, type AllowList } from './address.ts'
import { limits } from '../schema/limits.ts'
import { parseUrl } from './host-in-url.ts'

export const targetRules = [
  'url_length',
  'url_characters',
  'url_scheme',
  'url_invalid',
  'url_credentials',
  'url_port',
  'host_name',
  'host_localhost',
  'host_single_label',
  'host_internal',
  'address',
] as const
type TargetRule = (typeof targetRules)[number]

/** Why a URL is not allowed as a target. The message never repeats an address. */
export type TargetProblem = { rule: TargetRule; message: string }

/** An allowed URL. The addresses of its name are checked on connect. */
export type Target = {
  url: URL
  /** The name or IP literal to connect to: no brackets, no trailing dot, A-labels. */
  host: string
  /** The family of an IP literal, 0 for a name. */
  literal: 0 | 4 | 6
  port: number
}

/** Suffixes that are never public (RFC 2606, 6761, 6762, 7686, 8375, 9476; ICANN's .internal). */
const internalSuffixes = [
  'local',
  'internal',
  'intranet',
  'lan',
  'corp',
  'home',
  'home.arpa',
  'onion',
  'alt',
  'test',
  'invalid',
  'example',
  'localdomain',
  'instance-data',
]

/** Ports from 1024 up of other protocols: WHATWG fetch's bad ports and common databases. */
const otherProtocolPorts = new Set([
  1719, 1720, 1723, 2049, 3306, 3659, 4045, 4190, 5060, 5061, 5432, 6000, 6379, 6566, 6665, 6666, 6667, 6668,
  6669, 6679, 6697, 9200, 9300, 10080, 11211, 27017,
])

const labelCharactersMax = 63
const hostCharactersMax = 253

/**
 * The URL rule, at save and on every hop of every run (S-208, S-209).
 * @returns null when the URL is allowed
 */
export const targetProblem = (url: string, options: { allow: AllowList }): TargetProblem | null => {
  const parsed = parseTarget(url, options)
  return parsed.ok ? null : parsed.problem
}

/** Applies the rule and returns the parsed target. */
export const parseTarget = (
  text: string,
  {
    allow,
    charactersMax = limits.urlCharactersMax,
  }: {
    allow: AllowList
    /** The maximum length of the URL. A redirect's may be longer. */
    charactersMax?: number
  },
): { ok: true; target: Target } | { ok: false; problem: TargetProblem } => {
  const fail = (rule: TargetRule, message: string) => ({ ok: false, problem: { rule, message } }) as const
  const raw = rawProblem(text, charactersMax)
  if (raw !== null) return { ok: false, problem: raw }
  const url = parseUrl(text)
  if (url === null) return fail('url_invalid', 'the URL is not valid')
  const judged = judgeHost(url.hostname, allow)
  if (!judged.ok) return judged
  const { host, literal, opened } = judged
  const port = url.port === '' ? (url.protocol === 'https:' ? 443 : 80) : Number(url.port)
  if (port === 0 || (!opened && !portAllowed(port))) {
    return fail('url_port', `the port ${port} is not allowed: use 80, 443, or a web port from 1024 up`)
  }
  return { ok: true, target: { url, host, literal, port } }
}

/** An allowed host, for a connection. */
type TargetHost = Pick<Target, 'host' | 'literal'> & {
  /** Whether the operator allowed it although it is not public. */
  opened: boolean
}

/**
 * The rule for a host without a URL, for tcp, smtp and dns checks. Same rules as in a URL. An IPv6 address may have
 * brackets.
 */
export const parseHost = (
  text: string,
  { allow }: { allow: AllowList },
): ({ ok: true } & TargetHost) | { ok: false; problem: TargetProblem } => {
  const bracketed = isIP(text) === 6 ? `[${text}]` : text
  const raw = rawProblem(`http://${bracketed}/`)
  const isBare = /^(?:[^/?#@:[\]%]+|\[[0-9a-fA-F:.]+\])$/.test(bracketed)
  const url = raw === null && isBare ? parseUrl(`http://${bracketed}/`) : null
  if (url !== null) return judgeHost(url.hostname, allow)
  const invalid = {
    rule: 'host_name',
    message: 'the host is not a valid domain name or address',
  } as const
  return { ok: false, problem: invalid }
}

/** @param hostname the canonical form of `URL`, with IPv6 in brackets */
const judgeHost = (
  hostname: string,
  allow: AllowList,
): ({ ok: true } & TargetHost) | { ok: false; problem: TargetProblem } => {
  const host = hostname.replace(/^\[(.*)\]$/, '$1').replace(/\.$/, '')
  const literal = familyOf(host)
  const localhost = literal === 0 && isLocalhost(host)
  const named = literal === 0 && !localhost && allow.opensName(host)
  const opened = literal !== 0 ? allow.covers(host) : named || (localhost && opensLoopback(allow))
  const fail = (rule: TargetRule, message: string) => ({ ok: false, problem: { rule, message } }) as const
  if (literal !== 0 && !classifyAddress(host, allow).allowed) {
    return fail('address', 'the address is not public: private, local and reserved ranges are refused')
  }
  if (localhost && !opened) return fail('host_localhost', 'localhost is not a public host')
  if (literal === 0 && !localhost) {
    const problem = nameProblem(host, { mayBeInternal: named })
    if (problem !== null) return { ok: false, problem }
  }
  return { ok: true, host, literal, opened }
}

// oxlint-disable-next-line no-control-regex -- ASCII is in every normalization form
const outsideAscii = /[^\0-\x7f]/

/** Refuses text that `new URL` would silently repair. */
const rawProblem = (text: string, charactersMax: number = limits.urlCharactersMax): TargetProblem | null => {
  if (text.length > charactersMax) {
    return {
      rule: 'url_length',
      message: `the URL is longer than ${charactersMax} characters`,
    }
  }
  // oxlint-disable-next-line no-control-regex -- matches control characters
  if (/[\u0000-\u0020\u007f\\]/.test(text)) {
    return {
      rule: 'url_characters',
      message: 'the URL must not contain spaces, control characters or backslashes',
    }
  }
  if (outsideAscii.test(text) && text.normalize('NFC') !== text) {
    return { rule: 'url_characters', message: 'the URL must be in Unicode normalization form C' }
  }
  const authority = /^https?:\/\/([^/?#]*)/i.exec(text)?.[1]
  if (authority === undefined) {
    return { rule: 'url_scheme', message: 'the URL must start with http:// or https://' }
  }
  if (authority === '') return { rule: 'url_invalid', message: 'the URL has no host' }
  if (authority.includes('@')) {
    return { rule: 'url_credentials', message: 'the URL must not carry a user name or a password' }
  }
  return null
}

const nameProblem = (host: string, { mayBeInternal }: { mayBeInternal: boolean }): TargetProblem | null => {
  const labels = host.split('.')
  if (
    host.length > hostCharactersMax ||
    labels.some((label) => label === '' || label.length > labelCharactersMax)
  ) {
    return { rule: 'host_name', message: 'the host is not a valid domain name' }
  }
  if (mayBeInternal) return null
  if (internalSuffixes.some((suffix) => host === suffix || host.endsWith(`.${suffix}`))) {
    return { rule: 'host_internal', message: 'the host name is reserved for internal networks' }
  }
  if (labels.length === 1) {
    return { rule: 'host_single_label', message: 'the host must be a full domain name' }
  }
  return null
}

/** Only IPv6 has a colon, and Node's pattern for it takes 4 ms to compile. */
const familyOf = (host: string): 0 | 4 | 6 => {
  if (host.includes(':')) return isIPv6(host) ? 6 : 0
  return isIPv4(host) ? 4 : 0
}

/** RFC 6761 6.3: localhost and its subdomains are loopback. */
export const isLocalhost = (host: string): boolean => host === 'localhost' || host.endsWith('.localhost')

/** The loopback addresses that the operator allowed, for localhost names. */
export const loopbackAllowed = (allow: AllowList): string[] =>
  ['127.0.0.1', '::1'].filter((ip) => allow.covers(ip))

const opensLoopback = (allow: AllowList): boolean => loopbackAllowed(allow).length > 0

/** Whether an http check may use a port. Ports of other protocols are refused. */
export const portAllowed = (port: number): boolean =>
  port === 80 || port === 443 || (port >= 1024 && !otherProtocolPorts.has(port))
