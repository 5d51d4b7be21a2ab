import { RequestHeader, RequestOptions } from '@probe-mesh/contracts/check/request-options'

/** What becomes of a header in a check. */
export type HeaderFate =
  | 'sent'
  /** The probe sends the same by itself. */
  | 'same'
  /** The probe sends its own or none, which asks for the same answer: noted by name. */
  | 'own'
  /** A Host other than that of the URL, as it is written (S-351). */
  | { hostHeader: string }
  /** A check cannot send it, and without it the request is another: refused by name. */
  | { problems: string[] }

/** The request that a header belongs to. */
type Around = { url: URL; body: string | null }

/** @returns the fate of one header. Those of the content type and of cookies of a jar are decided elsewhere. */
export const fateOf = (name: string, value: string, around: Around): HeaderFate => {
  const fate = fates[name.toLowerCase()]?.(value.trim(), around) ?? sentOr(name, value)
  return typeof fate === 'object' && 'why' in fate
    ? { problems: [`The header ${name.slice(0, 100)} cannot be sent: ${fate.why}.`] }
    : fate
}

type Fate = HeaderFate | { why: string }

/** Names that programs send by themselves, so that they say nothing of what a person wants. */
const agentOfProgram =
  /^(?:Mozilla\/\d|curl\/|Wget\/|insomnia\/|PostmanRuntime\/|HTTPie\/|python-|Go-http-client\/|okhttp\/|node|undici|axios\/|Java\/|Apache-HttpClient\/|Dart\/|Paw\/|RapidAPI\/|bruno|Thunder Client)/i

const ownCodings: ReadonlySet<string> = new Set(['gzip', 'deflate', 'br'])

/** The probe accepts gzip, deflate and br. A list with others, or with weights, asks for the same content if gzip is in it. */
const codings = (value: string): Fate => {
  const parts = value
    .toLowerCase()
    .split(',')
    .map((part) => part.trim())
  if (parts.length === ownCodings.size && parts.every((each) => ownCodings.has(each))) return 'same'
  const names = parts.map((each) => each.split(';', 1)[0]?.trim() ?? '')
  const isRefused = parts.some((each) => /;\s*q=0(?:\.0*)?$/.test(each))
  return names.includes('gzip') && !isRefused && names.every((each) => /^(?:[a-z-]+|\*)$/.test(each))
    ? 'own'
    : { why: `a check accepts gzip, deflate and br, not ${value === '' ? 'nothing' : value.slice(0, 100)}` }
}

const noHost = 'must be a host, in xn-- form where it has other letters, with a port or without'
const ofBody = 'a check sends the body as it is, with its length'

const fates: Readonly<Record<string, (value: string, around: Around) => Fate>> = {
  host: (value, { url }) => {
    if (value.toLowerCase() === url.host.replace(/\.(?=:\d+$|$)/, '')) return 'same'
    const checked = RequestOptions.shape.hostHeader.safeParse(value)
    return checked.success
      ? { hostHeader: value }
      : { why: `${value === '' ? 'it is empty' : `it is ${value.slice(0, 200)}`}, and ${noHost}` }
  },
  'user-agent': (value) =>
    agentOfProgram.test(value)
      ? 'own'
      : {
          why: 'a probe says who it is with ProbeMesh/<version>. Remove it, or allow ProbeMesh at the server',
        },
  'accept-encoding': codings,
  connection: (value) =>
    value.toLowerCase() === 'close'
      ? 'same'
      : value.split(',').every((each) => /^(?:keep-alive|te|close)$/i.test(each.trim()))
        ? 'own'
        : { why: 'a check uses a connection for one request' },
  'keep-alive': () => 'own',
  'proxy-connection': () => 'own',
  te: (value) => (value.toLowerCase() === 'trailers' ? 'own' : { why: 'a check takes no coded transfer' }),
  'content-length': (value, { body }) => {
    const bytes = Buffer.byteLength(body ?? '')
    return value === String(bytes)
      ? 'same'
      : { why: `it says ${value.slice(0, 20)}, but the body has ${bytes} bytes` }
  },
  'content-encoding': () => ({ why: ofBody }),
  'transfer-encoding': () => ({ why: ofBody }),
  expect: () => ({ why: 'a check sends head and body at once' }),
  trailer: () => ({ why: 'a check sends no trailers' }),
  upgrade: () => ({ why: 'a check stays with HTTP' }),
  'http2-settings': () => ({ why: 'a check stays with HTTP' }),
  'proxy-authorization': () => ({ why: 'a check is asked from its regions without a proxy' }),
  'probe-region': () => ({ why: 'a check has a setting for it' }),
}

const sentOr = (name: string, value: string): Fate => {
  if (value === '') return { why: 'it has no value' }
  const checked = RequestHeader.safeParse({ name, value })
  return checked.success ? 'sent' : { why: checked.error.issues.map(({ message }) => message).join('; ') }
}

/** Headers that browsers add by themselves, and that say nothing about the request. */
export const isBrowserNoise = (name: string): boolean =>
  /^(?:sec-(?:ch|fetch|gpc|purpose)\b.*|dnt|priority|upgrade-insecure-requests|save-data|x-client-data)$/i.test(
    name,
  )
