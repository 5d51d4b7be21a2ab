import type { RequestAuth, RequestHeader } from '@probe-mesh/contracts/check/request-options'
import type { StepMethod } from '@probe-mesh/contracts/reading/reading-details'
import { parseForeignJson } from '@probe-mesh/contracts/schema/foreign-json'
import { isCredentialHeader } from '../../secrets/new-secrets.ts'
import { snakeCase, type SecretFinder } from './found-secrets.ts'
import type { Notes } from './notes.ts'
import { fateOf } from './request-headers.ts'

/** A request as an import has it: with its credentials in clear. */
export type PlainRequest = {
  method: StepMethod
  url: URL
  /** Without the content type. */
  headers: readonly (readonly [name: string, value: string])[]
  body: string | null
  contentType: string | null
  basic: { username: string; password: string } | null
}

/** The same request with secrets instead of credentials, as a check stores it. */
export type SafeRequest = {
  headers: RequestHeader[]
  auth: RequestAuth | null
  body: string | null
  /** null: that of the URL. */
  hostHeader: string | null
  /** Headers that a check cannot send. */
  problems: string[]
}

const credentialField =
  /(?:^|_)(?:pass|password|passwd|passphrase|passcode|pwd|secret|token|api_?key|access_?key|private_?key|credentials?|otp|pin|cvv)$/

/** Whether the value of a field, of a body or a query, is a credential. */
export const isCredentialField = (name: string): boolean => credentialField.test(snakeCase(name))

/**
 * Replaces the credentials of a request by secrets, each bound to the host of its URL. An Authorization header goes before
 * `basic`, as curl and browsers have it.
 */
export const withSecretsFor = (request: PlainRequest, secrets: SecretFinder, notes: Notes): SafeRequest => {
  const { url } = request
  const headers: RequestHeader[] = []
  const problems: string[] = []
  // the probe leaves out the dot at the end of a host, which other clients send
  let hostHeader = url.hostname.endsWith('.') ? url.host : null
  const own = joined(request.headers, notes)
  const isAuthorized = own.some(([name]) => name.toLowerCase() === 'authorization')
  let auth = request.basic === null || isAuthorized ? null : basicAuth(request.basic, url, secrets)
  for (const [name, value] of own) {
    const fate = fateOf(name, value, request)
    if (typeof fate === 'object' && 'hostHeader' in fate) hostHeader = fate.hostHeader
    else if (typeof fate === 'object') problems.push(...fate.problems)
    else if (fate === 'own') notes.of('own', name)
    else if (fate === 'same') {
      if (name.toLowerCase() === 'host') hostHeader = null
    } else if (name.toLowerCase() === 'authorization' && authOf(value) !== null) {
      auth = readAuth(value, url, secrets)
    } else if (isCredentialHeader(name)) headers.push({ name, value: secrets.refer(name, value, url) })
    else headers.push({ name, value })
  }
  return { headers, auth, body: safeBody(request, secrets, notes), hostHeader, problems }
}

/** A header that is sent twice becomes one list (RFC 9110 5.3). */
const joined = (headers: PlainRequest['headers'], notes: Notes): (readonly [string, string])[] => {
  const byName = new Map<string, readonly [string, string]>()
  for (const [name, value] of headers) {
    const key = name.toLowerCase()
    const before = byName.get(key)
    const between = key === 'cookie' ? '; ' : ', '
    if (before !== undefined) notes.of('twice', name)
    byName.set(key, before === undefined ? [name, value] : [name, `${before[1]}${between}${value}`])
  }
  return [...byName.values()]
}

/** Credentials as a probe writes them, byte for byte. Others stay a header, whose whole value is the secret. */
const authOf = (value: string): readonly [scheme: string, credential: string] | null => {
  const [, scheme, credential] = /^(Basic|Bearer) (\S+)$/.exec(value) ?? []
  if (scheme === undefined || credential === undefined) return null
  const pair = Buffer.from(credential, 'base64').toString()
  const isWhole = /^[^:\p{Cc}]*:\P{Cc}*$/u.test(pair) && Buffer.from(pair).toString('base64') === credential
  return scheme === 'Basic' && !isWhole ? null : [scheme, credential]
}

const readAuth = (value: string, url: URL, secrets: SecretFinder): RequestAuth | null => {
  const [scheme, credential] = authOf(value) ?? ['', '']
  if (scheme === 'Bearer') return { type: 'bearer', token: secrets.refer('Authorization', credential, url) }
  const [, username = '', password = ''] =
    /^([^:]*):(.*)$/s.exec(Buffer.from(credential, 'base64').toString()) ?? []
  return basicAuth({ username, password }, url, secrets)
}

/** Some services have a key for a name and no password: then the name is the credential. */
const basicAuth = (
  { username, password }: { username: string; password: string },
  url: URL,
  secrets: SecretFinder,
): RequestAuth =>
  password === ''
    ? { type: 'basic', username: secrets.refer('user', username, url), password: '' }
    : { type: 'basic', username, password: secrets.refer('password', password, url) }

/** Fields of a form or of JSON that hold credentials. Any other body stays as it is. */
const safeBody = (
  { body, contentType, url }: PlainRequest,
  secrets: SecretFinder,
  notes: Notes,
): string | null => {
  if (body === null) return null
  const type = contentType?.toLowerCase() ?? ''
  if (type.includes('json')) return safeJson({ body, url, isEscaped: escapedJson.test(type) }, secrets, notes)
  return type.startsWith('application/x-www-form-urlencoded') ? safeForm(body, url, secrets, notes) : body
}

/** The types of JSON in which a probe escapes the values of secrets. */
const escapedJson = /^application\/(?:[^/;]*\+)?json\s*(?:;|$)/

const safeForm = (body: string, url: URL, secrets: SecretFinder, notes: Notes): string =>
  body
    .split('&')
    .map((pair) => {
      const [, name = '', value = ''] = /^([^=]*)=(.+)$/s.exec(pair) ?? []
      const field = decodedField(name)
      if (value === '' || !isCredentialField(field)) return pair
      const plain = decodedField(value)
      if (new URLSearchParams({ '': plain }).toString().slice(1) !== value) notes.of('escaped', field)
      return `${name}=${secrets.refer(field, plain, url)}`
    })
    .join('&')

const decodedField = (text: string): string => new URLSearchParams(`a=${text}`).get('a') ?? text

/** Fields of a form, or texts and numbers of JSON with their keys. */
export const fieldsOf = (
  body: string | null,
  contentType: string | null,
): [name: string, value: string][] => {
  if (body === null) return []
  const type = contentType?.toLowerCase() ?? ''
  if (type.startsWith('application/x-www-form-urlencoded')) return [...new URLSearchParams(body)]
  return type.includes('json') ? stringsOf(jsonOf(body)) : []
}

const jsonOf = (text: string): unknown => {
  try {
    return parseForeignJson(text)
  } catch {
    return null
  }
}

/** Each text and number below a value, with the key that is nearest to it. */
const stringsOf = (value: unknown, key = ''): [name: string, value: string][] => {
  if (typeof value === 'string' || typeof value === 'number') return [[key, String(value)]]
  if (Array.isArray(value)) return value.flatMap((each) => stringsOf(each, key))
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([name, each]) => stringsOf(each, name))
}

/** The text stays as it was written but for the strings that are credentials. */
const safeJson = (
  { body, url, isEscaped }: { body: string; url: URL; isEscaped: boolean },
  secrets: SecretFinder,
  notes: Notes,
): string => {
  if (jsonOf(body) === null) return body
  // each match is one whole string of the text, with the value where it is a key
  const strings = /"((?:[^"\\]|\\.)*)"(?:(\s*:\s*)"((?:[^"\\]|\\.)*)")?/g
  return body.replaceAll(strings, (pair, name: string, between?: string, value: string = '') => {
    const field = between === undefined ? '' : String(JSON.parse(`"${name}"`))
    if (value === '' || !isCredentialField(field)) return pair
    const plain = isEscaped ? String(JSON.parse(`"${value}"`)) : value
    if (isEscaped && JSON.stringify(plain).slice(1, -1) !== value) notes.of('escaped', field)
    return `"${name}"${between ?? ''}"${secrets.refer(field, plain, url)}"`
  })
}
