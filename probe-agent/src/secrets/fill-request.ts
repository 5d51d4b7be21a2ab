import type { SecureContext } from 'node:tls'
import {
  clientIdentity,
  tlsProblem,
  type ClientIdentity,
} from '@probe-mesh/contracts/check/client-certificate'
import { receiversOf, secretsOfRequest, type HttpRequest } from '@probe-mesh/contracts/check/request-options'
import { mayReceive, type SealedSecrets } from '@probe-mesh/contracts/secret/secret'
import { entryOf } from '@probe-mesh/contracts/secret/secret-host'
import { secretsIn, withSecrets } from '@probe-mesh/contracts/secret/secret-template'
import { withClientCertificate } from '../request/connect.ts'
import type { Message, OwnParts } from '../request/message.ts'
import { ownTrust } from '../request/server-identity.ts'

/** Why a request cannot be sent: each says what to do. All are problems of the check or its agent. */
export const fillProblems = {
  unknown: (name: string) =>
    `the secret ${name} does not exist, cannot be read, or does not name this private agent; save it, name the agent on it, or correct the check`,
  otherHost: (name: string, host: string) =>
    `the secret ${name} may not be sent to ${host}; add it to the hosts of the secret`,
  character: (name: string) =>
    `the secret ${name} has a character that cannot be sent there, such as a line break; save it again without`,
  key: (name: string, problem: string) => `the secret ${name}, the key of the client certificate, ${problem}`,
  client: (problem: string) => `the client certificate ${problem}`,
  tooLarge: 'the request is too large with its secrets; headers may have 64 KB and a body 256 KB',
} as const

const headersCharactersMax = 64 * 1024
const bodyBytesMax = 256 * 1024

/** Visible ASCII, so that no value ends its line. */
const inHeader = /^[\t\x20-\x7e]*$/
/** RFC 7617: no control characters. */
const inCredentials = /^\P{Cc}*$/u
const inUserName = /^[^:\p{Cc}]*$/u

const asIs = (value: string): string => value

type Fill = (text: string, form?: { allowed?: RegExp; write?: (value: string) => string }) => string

/**
 * The message of a check's own request, with its secrets. Each secret goes only to the hosts that it is bound to.
 * @param trace the value of `traceparent`; null: not sent
 */
export const fillRequest = (
  url: string,
  request: HttpRequest,
  { secrets, trust, trace = null }: { secrets: SealedSecrets; trust: SecureContext; trace?: string | null },
): { ok: true; message: Message } | { ok: false; problems: string[] } => {
  const problems = receiversOf(url, request).flatMap((receiver) =>
    unusable(receiver, secretsOfRequest(request), secrets),
  )
  const fill: Fill = (text, { allowed = /^/, write = asIs } = {}) =>
    withSecrets(text, (name) => {
      const value = secrets[name]?.value
      if (value !== undefined && !allowed.test(value)) problems.push(fillProblems.character(name))
      return value === undefined ? undefined : write(value)
    })
  const { method = 'GET', contentType = null, clientCertificate } = request
  const fields = withTrace(fieldsOf(request, fill), trace)
  const text = method === 'HEAD' ? undefined : request.body
  const body = text === undefined ? null : Buffer.from(fill(text, { write: writerFor(contentType) }))
  const identity = identityOf(clientCertificate, fill, trustOf(request, trust))
  if (identity !== null && 'field' in identity) problems.push(...clientProblems(request, identity, secrets))
  const isLarge = fields.join('').length > headersCharactersMax || (body?.length ?? 0) > bodyBytesMax
  if (isLarge) problems.push(fillProblems.tooLarge)
  if (problems.length > 0) return { ok: false, problems: [...new Set(problems)] }
  const own = ownParts(fields, identity !== null && 'field' in identity ? null : identity)
  return { ok: true, message: { method, body, contentType, ...(own !== null && { own }) } }
}

/** The authorities that verify the server. Unreadable ones of its own end the attempt before a handshake. */
const trustOf = ({ caCertificates }: HttpRequest, trust: SecureContext): SecureContext =>
  caCertificates === undefined ? trust : (ownTrust(caCertificates) ?? trust)

const clientProblems = (
  { clientCertificate }: HttpRequest,
  { field, problem }: { field: string; problem: string },
  secrets: SealedSecrets,
): string[] =>
  field === 'certificate'
    ? [fillProblems.client(problem)]
    : secretsIn([clientCertificate?.key ?? ''])
        .filter((name) => secrets[name] !== undefined)
        .map((name) => fillProblems.key(name, problem))

const unusable = (url: string, names: readonly string[], secrets: SealedSecrets): string[] => {
  const to = URL.parse(url)
  return names.flatMap((name) => {
    const secret = secrets[name]
    if (secret === undefined) return [fillProblems.unknown(name)]
    const isBound = to !== null && mayReceive(secret, to)
    return isBound ? [] : [fillProblems.otherHost(name, to === null ? 'this URL' : entryOf(to))]
  })
}

/** Alternating names and values. Credentials replace a header of their name. */
const fieldsOf = ({ headers = [], auth }: HttpRequest, fill: Fill): string[] => {
  const given = headers.map(({ name, value }) => [name.toLowerCase(), fill(value, { allowed: inHeader })])
  if (auth === undefined) return given.flat()
  const others = given.filter(([name]) => name !== 'authorization')
  if (auth.type === 'bearer') {
    const token = fill(auth.token, { allowed: inHeader })
    return [...others.flat(), 'authorization', `Bearer ${token}`]
  }
  const user = fill(auth.username, { allowed: inUserName })
  const password = fill(auth.password, { allowed: inCredentials })
  const basic = Buffer.from(`${user}:${password}`).toString('base64')
  return [...others.flat(), 'authorization', `Basic ${basic}`]
}

const withTrace = (fields: readonly string[], trace: string | null): readonly string[] => {
  if (trace === null) return fields
  const others = fields.filter((_, at) => fields[at - (at % 2)] !== 'traceparent')
  return [...others, 'traceparent', trace]
}

/** How a secret is written in a body of this type, so that its characters keep their meaning. */
const writerFor = (contentType: string | null): ((value: string) => string) => {
  const [type = ''] = (contentType ?? '').toLowerCase().split(';')
  if (/^application\/(?:[^/]*\+)?json\s*$/.test(type)) return (value) => JSON.stringify(value).slice(1, -1)
  if (type.trim() === 'application/x-www-form-urlencoded') {
    return (value) => new URLSearchParams({ '': value }).toString().slice(1)
  }
  return asIs
}

const identityOf = (
  client: HttpRequest['clientCertificate'],
  fill: Fill,
  trust: SecureContext,
): SecureContext | null | Exclude<ReturnType<typeof clientIdentity>, ClientIdentity> => {
  if (client === undefined) return null
  // earlier versions stored both as they were pasted
  const identity = clientIdentity(client.certificate, fill(client.key))
  if ('field' in identity) return identity
  const own = withClientCertificate(trust, identity)
  return own ?? { field: 'certificate', problem: tlsProblem(identity) ?? 'cannot be used by this agent' }
}

/** Of the fields, `accept` replaces the usual one, and `cookie` is joined with those of the jar. */
const ownParts = (fields: readonly string[], trust: SecureContext | null): OwnParts | null => {
  if (fields.length === 0 && trust === null) return null
  const own: OwnParts & { fields: string[] } = { fields: [], accept: null, cookie: null, trust }
  for (let at = 0; at < fields.length; at += 2) {
    const [name = '', value = ''] = fields.slice(at, at + 2)
    if (name === 'accept' || name === 'cookie') own[name] = value
    else own.fields.push(name, value)
  }
  return own
}
