import { isIPv6 } from 'node:net'
import { z } from 'zod'
import { field } from '../schema/field.ts'
import { StepMethod } from '../reading/reading-details.ts'
import { limits } from '../schema/limits.ts'
import { secretsIn } from '../secret/secret-template.ts'
import { serverIdentity } from '../target/server-identity.ts'
import { timeoutSecondsMax } from './check-timeout.ts'

// What a request sends and expects beyond a plain GET. Texts may name secrets as {{ secret.name }}.

const headersMax = 20
const headerNameCharactersMax = 100
const headerValueCharactersMax = 4_000
/** As pasted: with the text that OpenSSL writes around it. */
const certificateCharactersMax = 60_000

/** Headers of the connection, of the content, and those that the probe sets itself. */
const refusedHeaders: ReadonlySet<string> = new Set([
  'accept-encoding',
  'connection',
  'content-encoding',
  'content-length',
  'content-type',
  'expect',
  'host',
  'http2-settings',
  'keep-alive',
  'probe-region',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'user-agent',
])

/** One header of a request. The name is sent in lower case. */
export const RequestHeader = z.strictObject({
  name: field(
    z
      .string()
      .max(headerNameCharactersMax)
      .regex(/^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/, 'must be the name of a header')
      .refine(
        (name) => !refusedHeaders.has(name.toLowerCase()) && !name.toLowerCase().startsWith('proxy-'),
        'cannot be set: it belongs to the connection, the body or the probe',
      ),
    'Name of the header.',
    'X-Api-Key',
  ),
  value: field(
    z
      .string()
      .min(1)
      .max(headerValueCharactersMax)
      .regex(/^[\t\x20-\x7e]*$/, 'must be visible ASCII characters'),
    'Value; a secret as its name.',
    '{{ secret.api_key }}',
  ),
})
export type RequestHeader = z.infer<typeof RequestHeader>

const credential = z.string().max(headerValueCharactersMax)

/** RFC 7617 and RFC 6750. `username` has no colon. */
export const RequestAuth = z.discriminatedUnion('type', [
  z.strictObject({
    type: field(z.literal('basic'), '`basic` or `bearer`.', 'basic'),
    username: field(
      credential.regex(/^[^:\p{Cc}]*$/u, 'must be one line of text without a colon'),
      'User name.',
      'probe',
    ),
    password: field(
      credential.regex(/^\P{Cc}*$/u, 'must be one line of text'),
      'Password: a secret, as its name.',
      '{{ secret.password }}',
    ),
  }),
  z.strictObject({
    type: field(z.literal('bearer'), '`basic` or `bearer`.', 'basic'),
    token: field(
      credential.min(1).regex(/^[\x21-\x7e ]*$/, 'must be visible ASCII characters'),
      'Token: a secret, as its name.',
      '{{ secret.token }}',
    ),
  }),
])
export type RequestAuth = z.infer<typeof RequestAuth>

/**
 * `certificate` is a chain and no secret. `key` is the name of one, as {{ secret.name }}. A key in clear, here or
 * beside the certificate, becomes a secret when its check is saved, which reads both in any form
 * (`client-certificate.ts`).
 */
const ClientCertificate = z.strictObject({
  certificate: field(
    z.string().min(1).max(certificateCharactersMax),
    'Certificate chain in PEM, in any order; also PKCS#7, or DER in base64. Stored as PEM, its own first.',
    '-----BEGIN CERTIFICATE-----…',
  ),
  key: field(
    z.string().max(certificateCharactersMax).default(''),
    'Private key: a secret, as its name.',
    '{{ secret.client_key }}',
  ),
})
type ClientCertificate = z.infer<typeof ClientCertificate>

const hostHeaderMessage = 'must be a host, with a port or without'

/**
 * Attributes of one request, of an http check or of a step. Headers, credentials and the client certificate of an http
 * check are sent again where it redirects on the same origin, those of a step are not (S-3802). How it connects holds for its scheme,
 * host and port (S-351).
 */
export const RequestOptions = z.strictObject({
  headers: field(
    z
      .array(RequestHeader)
      .max(headersMax)
      .superRefine((headers, context) => {
        const names = headers.map(({ name }) => name.toLowerCase())
        for (const [at, name] of names.entries()) {
          if (names.indexOf(name) === at) continue
          context.addIssue({ code: 'custom', path: [at, 'name'], message: `${name} is set twice` })
        }
      })
      .optional(),
    'Headers of the request. Of an http check also of its redirects on the same origin.',
  ),
  auth: field(RequestAuth.optional(), 'Credentials of the request.'),
  clientCertificate: field(ClientCertificate.optional(), 'Certificate that the probe shows to the server.'),
  redirects: field(
    z.enum(['follow', 'never']).optional(),
    '`never` judges an answer that redirects; `follow` by default.',
    'never',
  ),
  redirectsTo: field(
    z.string().min(1).max(limits.urlCharactersMax).optional(),
    'URL that the answer must redirect to. It is not followed.',
    'https://example.com/login',
  ),
  httpVersion: field(
    z.enum(['1.1', '2']).optional(),
    '`1.1` or `2`. Absent: HTTP/1.1, and HTTP/2 where a server has nothing else.',
    '2',
  ),
  addressFamily: field(z.enum(['ipv4', 'ipv6']).optional(), '`ipv4` or `ipv6`. Absent: either.', 'ipv4'),
  connectTo: field(
    z.string().min(1).max(300).optional(),
    'Host or address that is connected to instead of the host of the URL, with a port or without.',
    '203.0.113.9:8443',
  ),
  hostHeader: field(
    z
      .string()
      .max(300)
      .regex(
        /^(?:[A-Za-z0-9_](?:[A-Za-z0-9._-]*[A-Za-z0-9_.])?|\[[0-9A-Fa-f:.]+\])(?::\d{1,5})?$/,
        hostHeaderMessage,
      )
      // opt-outs and hosts of secrets are judged by its URL
      .refine((host) => URL.canParse(`http://${host}/`), hostHeaderMessage)
      .optional(),
    'Value of the header Host. Absent: the host of the URL.',
    'www.example.com',
  ),
  ...serverIdentity,
  latencyMsMax: field(
    z
      .int()
      .min(1)
      .max(timeoutSecondsMax * 1_000)
      .optional(),
    'Slowest answer that counts as up, ms.',
    2000,
  ),
  certificateDaysMin: field(z.int().min(1).max(365).optional(), 'Fewest days until the certificate ends.', 7),
  sendTrace: field(z.boolean().optional(), 'Whether a W3C `traceparent` is sent; readings show it.', true),
})
export type RequestOptions = z.infer<typeof RequestOptions>

/** RFC 9110 8.3.1: type "/" subtype with parameters. No control characters, to prevent header injection. */
export const ContentType = z
  .string()
  .max(200)
  .regex(
    /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+\/[!#$%&'*+\-.^_`|~0-9A-Za-z]+[ \t]*(;[\t\x20-\x7e]*)?$/,
    'must be a media type, such as application/json',
  )

/** The request of an http check that is more than a GET. */
export const HttpRequest = RequestOptions.extend({
  method: field(StepMethod.optional(), 'Method; GET by default.', 'POST'),
  body: field(z.string().max(limits.stepBodyCharactersMax).optional(), 'Content, as UTF-8.', '{"ping":true}'),
  contentType: field(ContentType.optional(), 'Media type of the content.', 'application/json'),
})
export type HttpRequest = z.infer<typeof HttpRequest>

/**
 * The URLs to whose hosts a request goes: its own, and those that settings of its connection name. A secret must be
 * allowed for each (S-353). The connected host is left out where the certificate proves the host of the URL.
 */
export const receiversOf = (url: string, request: HttpRequest): string[] => {
  const own = URL.parse(url)
  if (own === null) return [url]
  const { connectTo, hostHeader, serverName, caCertificates } = request
  const isProved =
    own.protocol === 'https:' &&
    caCertificates === undefined &&
    (serverName ?? own.hostname).toLowerCase() === own.hostname
  const places = [
    isProved ? undefined : connectTo,
    hostHeader,
    own.protocol === 'https:' ? serverName : undefined,
  ]
  const others = places.flatMap((place) => (place === undefined ? [] : (urlAt(own, place) ?? [])))
  return [...new Set([url, ...others.filter((other) => new URL(other).origin !== own.origin)])]
}

/** The URL with another host, and with another port if the text has one. */
const urlAt = ({ protocol, port }: URL, place: string): string | null => {
  const host = isIPv6(place) ? `[${place}]` : place
  const rest = /:\d+$/.test(host) || port === '' ? '' : `:${port}`
  return URL.parse(`${protocol}//${host}${rest}/`)?.href ?? null
}

/** The names of the secrets that a request uses, sorted. */
export const secretsOfRequest = ({ headers, auth, clientCertificate, body }: HttpRequest): string[] => {
  const credentials = auth?.type === 'basic' ? [auth.username, auth.password] : [auth?.token]
  const values = (headers ?? []).map(({ value }) => value)
  return secretsIn(
    [...values, ...credentials, clientCertificate?.key, body].filter((text) => text !== undefined),
  )
}
