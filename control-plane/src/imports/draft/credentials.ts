import { RequestHeader, type RequestAuth } from '@probe-mesh/contracts/check/request-options'
import type { StepMethod } from '@probe-mesh/contracts/reading/reading-details'
import { parseForeignJson } from '@probe-mesh/contracts/schema/foreign-json'
import { isCredentialHeader } from '../../secrets/new-secrets.ts'
import { snakeCase, type SecretFinder } from './found-secrets.ts'

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
  /** Headers that a check cannot send. */
  leftOut: string[]
}

const credentialField =
  /(?:^|_)(?:pass|password|passwd|passphrase|passcode|pwd|secret|token|api_?key|access_?key|private_?key|credentials?|otp|pin|cvv)$/

/** Whether the value of a field, of a body or a query, is a credential. */
export const isCredentialField = (name: string): boolean => credentialField.test(snakeCase(name))

/** Headers that browsers add by themselves, and that say nothing about the request. */
export const isBrowserNoise = (name: string): boolean =>
  /^(?:sec-(?:ch|fetch|gpc|purpose)\b.*|dnt|priority|upgrade-insecure-requests|save-data|x-client-data)$/i.test(
    name,
  )

/** Replaces the credentials of a request by secrets, each bound to the host of its URL. */
export const withSecretsFor = (request: PlainRequest, secrets: SecretFinder): SafeRequest => {
  const { url } = request
  const headers: RequestHeader[] = []
  const leftOut: string[] = []
  let auth = request.basic === null ? null : basicAuth(request.basic, url, secrets)
  for (const [name, value] of joined(request.headers)) {
    const isSound = RequestHeader.safeParse({ name, value }).success
    if (!isSound) leftOut.push(name.toLowerCase())
    else if (name.toLowerCase() === 'authorization' && auth !== null) continue
    else if (name.toLowerCase() === 'authorization' && authOf(value) !== null) {
      auth = readAuth(value, url, secrets)
    } else if (isCredentialHeader(name)) headers.push({ name, value: secrets.refer(name, value, url) })
    else headers.push({ name, value })
  }
  return { headers, auth, body: safeBody(request, secrets), leftOut }
}

/** A header that is sent twice becomes one list (RFC 9110 5.3). */
const joined = (headers: PlainRequest['headers']): (readonly [string, string])[] => {
  const byName = new Map<string, readonly [string, string]>()
  for (const [name, value] of headers) {
    const key = name.toLowerCase()
    const before = byName.get(key)
    const between = key === 'cookie' ? '; ' : ', '
    byName.set(key, before === undefined ? [name, value] : [name, `${before[1]}${between}${value}`])
  }
  return [...byName.values()]
}

const authOf = (value: string): readonly [scheme: string, credential: string] | null => {
  const [, scheme, credential] = /^(basic|bearer) +(\S+)$/i.exec(value) ?? []
  return scheme === undefined || credential === undefined ? null : [scheme.toLowerCase(), credential]
}

const readAuth = (value: string, url: URL, secrets: SecretFinder): RequestAuth | null => {
  const [scheme, credential] = authOf(value) ?? ['', '']
  if (scheme === 'bearer') return { type: 'bearer', token: secrets.refer('Authorization', credential, url) }
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
const safeBody = ({ body, contentType, url }: PlainRequest, secrets: SecretFinder): string | null => {
  if (body === null) return null
  const type = contentType?.toLowerCase() ?? ''
  if (type.includes('json')) return safeJson(body, url, secrets)
  return type.startsWith('application/x-www-form-urlencoded') ? safeForm(body, url, secrets) : body
}

const safeForm = (body: string, url: URL, secrets: SecretFinder): string =>
  body
    .split('&')
    .map((pair) => {
      const [, name = '', value = ''] = /^([^=]*)=(.+)$/s.exec(pair) ?? []
      const field = decodedField(name)
      if (value === '' || !isCredentialField(field)) return pair
      return `${name}=${secrets.refer(field, decodedField(value), url)}`
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
const safeJson = (body: string, url: URL, secrets: SecretFinder): string => {
  if (jsonOf(body) === null) return body
  // each match is one whole string of the text, with the value where it is a key
  const strings = /"((?:[^"\\]|\\.)*)"(?:(\s*:\s*)"((?:[^"\\]|\\.)*)")?/g
  return body.replaceAll(strings, (pair, name: string, between?: string, value: string = '') => {
    const field = between === undefined ? '' : String(JSON.parse(`"${name}"`))
    if (value === '' || !isCredentialField(field)) return pair
    return `"${name}"${between ?? ''}"${secrets.refer(field, String(JSON.parse(`"${value}"`)), url)}"`
  })
}
