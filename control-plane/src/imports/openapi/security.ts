import type { RequestAuth, RequestHeader } from '@probe-mesh/contracts/check/request-options'
import { entryOf } from '@probe-mesh/contracts/secret/secret-host'
import { freeName, referenceTo } from '../draft/found-secrets.ts'
import { listOf, nodeOf, resolve, type Node } from './document.ts'

/** A credential that a document names: the secret to be filled in. */
type NeededSecret = { name: string; hosts: string[]; about: string }

/** What a request sends for the security of its operation. */
export type Credentials = {
  headers: RequestHeader[]
  /** `name={{ secret.name }}`. */
  cookies: string[]
  auth: RequestAuth | null
  warnings: string[]
}

/** Names the secrets of one document: one a scheme, with the hosts of all operations that use it. */
export type SecretNames = {
  /** @returns the text that names it */
  refer(scheme: string, part: string, about: string, url: URL): string
  readonly needed: readonly NeededSecret[]
}

export const createSecretNames = (taken: Iterable<string>): SecretNames => {
  const names = new Set(taken)
  const byPart = new Map<string, NeededSecret>()
  return {
    get needed() {
      return [...byPart.values()]
    },
    refer: (scheme, part, about, url) => {
      const entry = entryOf(url)
      const key = `${scheme}\n${part}`
      const secret = byPart.get(key) ?? { name: freeName(`${scheme} ${part}`, names), hosts: [], about }
      names.add(secret.name)
      byPart.set(key, secret)
      if (!secret.hosts.includes(entry)) secret.hosts.push(entry)
      return referenceTo(secret.name)
    },
  }
}

/**
 * The credentials of an operation: of the first alternative that a check can send, none where none are needed.
 * @returns as a text why no alternative is possible
 */
export const credentialsOf = (
  document: Node,
  security: unknown,
  url: URL,
  secrets: SecretNames,
): Credentials | string => {
  const alternatives = listOf(security).map(nodeOf)
  if (alternatives.length === 0 || alternatives.some((each) => Object.keys(each).length === 0)) return none
  const schemes = nodeOf(nodeOf(document['components'])['securitySchemes'])
  const reasons: string[] = []
  for (const alternative of alternatives) {
    const found = Object.keys(alternative).map((name) => ({
      name,
      scheme: schemeOf(document, schemes[name]),
    }))
    const wrong = found.flatMap(({ name, scheme }) => ('why' in scheme ? [`${name}: ${scheme.why}`] : []))
    if (wrong.length > 0) reasons.push(...wrong)
    else return sent(found as { name: string; scheme: Scheme }[], url, secrets)
  }
  return reasons.join('; ')
}

const none: Credentials = { headers: [], cookies: [], auth: null, warnings: [] }

type Scheme = { kind: 'basic' | 'bearer' | 'token' } | { kind: 'header' | 'cookie'; header: string }

const schemeOf = (document: Node, value: unknown): Scheme | { why: string } => {
  if (value === undefined) return { why: 'the document does not define it' }
  const resolved = resolve(document, value)
  if ('problem' in resolved) return { why: resolved.problem }
  const { type, scheme, name, in: place } = resolved.node
  const kind = String(scheme).toLowerCase()
  if (type === 'http' && (kind === 'basic' || kind === 'bearer')) return { kind }
  if (type === 'oauth2' || type === 'openIdConnect') return { kind: 'token' }
  if (type === 'apiKey' && typeof name === 'string') {
    if (place === 'header') return { kind: 'header', header: name }
    if (place === 'cookie') return { kind: 'cookie', header: name }
    return { why: 'its key is sent in the URL, where a secret cannot be' }
  }
  return {
    why: `a check cannot log in with ${String(type ?? 'nothing')}${type === 'http' ? ` ${kind}` : ''}`,
  }
}

const sent = (
  schemes: readonly { name: string; scheme: Scheme }[],
  url: URL,
  secrets: SecretNames,
): Credentials => {
  const made: Credentials = { headers: [], cookies: [], auth: null, warnings: [] }
  for (const { name, scheme } of schemes) {
    const refer = (part: string, about: string): string => secrets.refer(name, part, about, url)
    if (scheme.kind === 'basic') {
      const [username, password] = [refer('user', 'The user name'), refer('password', 'The password')]
      made.auth = { type: 'basic', username, password }
    } else if (scheme.kind === 'header') {
      made.headers.push({ name: scheme.header, value: refer('', `The header ${scheme.header}`) })
    } else if (scheme.kind === 'cookie') {
      made.cookies.push(`${scheme.header}=${refer('', `The value of the cookie ${scheme.header}`)}`)
    } else {
      made.auth = { type: 'bearer', token: refer('', 'The token, without the word Bearer') }
      if (scheme.kind === 'token')
        made.warnings.push(`${name} is OAuth 2: its secret must be a token that does not expire.`)
    }
  }
  return made
}
