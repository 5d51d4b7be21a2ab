import { X509Certificate } from 'node:crypto'
import { isIP, isIPv6 } from 'node:net'
import { receiversOf, type HttpRequest } from '@probe-mesh/contracts/check/request-options'
import { hasPrivateKey, privateKeyMessage } from '@probe-mesh/contracts/schema/private-key'
import type { FieldProblem } from '@probe-mesh/contracts/schema/refusal'
import { entryOf, maySendTo } from '@probe-mesh/contracts/secret/secret-host'
import { secretsIn, withSecrets } from '@probe-mesh/contracts/secret/secret-template'
import { hostOfConnectTo } from '@probe-mesh/contracts/target/connect-to'
import { caProblems } from './ca-problems.ts'
import { secretProblems } from './secret-problems.ts'
import type { PlacedRequest } from './placed-requests.ts'

/** The most secrets that a check uses: all are sealed into one message. */
const secretsPerCheckMax = 20

/**
 * Everything that is wrong with the requests of a check and that no field shows alone.
 * @param hostsOf the hosts of a secret; undefined: there is none of this name
 */
export const requestProblems = (
  placed: readonly PlacedRequest[],
  hostsOf: (name: string) => readonly string[] | undefined,
): FieldProblem[] => {
  const names = new Set(placed.flatMap(({ request }) => secretsIn(textsOf(request).map(({ text }) => text))))
  const [first] = placed
  const tooMany =
    names.size > secretsPerCheckMax && first !== undefined
      ? [
          {
            path: first.optionsPath,
            message: `uses ${names.size} secrets; a check may use ${secretsPerCheckMax}`,
          },
        ]
      : []
  return [...placed.flatMap((one) => problemsOf(one, hostsOf)), ...tooMany]
}

const problemsOf = (
  { url: text, bodyPath, optionsPath, request }: PlacedRequest,
  hostsOf: (name: string) => readonly string[] | undefined,
): FieldProblem[] => {
  const url = URL.canParse(text) ? new URL(text) : null
  const at = (field: string): string => (field === 'body' ? bodyPath : `${optionsPath}.${field}`)
  const ofSecrets = textsOf(request).flatMap(({ field, text: value }) =>
    referenceProblems(value, receiversOf(text, request), hostsOf).map((message) => ({ field, message })),
  )
  const withKeys = [...textsOf(request), ...certificateText(request)].flatMap(({ field, text: value }) =>
    hasPrivateKey(value) ? [{ field, message: keyMessageOf(field) }] : [],
  )
  return [...optionProblems(request, url), ...ofSecrets, ...withKeys].map(({ field, message }) => ({
    path: at(field),
    message,
  }))
}

const certificateText = ({ clientCertificate }: HttpRequest): { field: string; text: string }[] =>
  clientCertificate === undefined ? [] : [{ field: certificateField, text: clientCertificate.certificate }]

const certificateField = 'clientCertificate.certificate'

const keyMessageOf = (field: string): string =>
  field === certificateField
    ? 'contains a private key beside the one that is named, or several; remove what is no certificate'
    : privateKeyMessage

type Problem = { field: string; message: string }

const identityWords = [
  ['serverName', 'a name for TLS'],
  ['pins', 'a pinned certificate'],
  ['caCertificates', 'an own authority'],
] as const

const identityProblems = (request: HttpRequest, isPlain: boolean): Problem[] => [
  ...identityWords.flatMap(([field, what]) =>
    isPlain && request[field] !== undefined ? [{ field, message: `${what} needs an https URL` }] : [],
  ),
  ...caProblems(request).map(({ path: field, message }) => ({ field, message })),
]

/** A wanted family that the address to connect to is not of: each reading would be down. */
const familyProblems = ({ addressFamily, connectTo }: HttpRequest, url: URL | null): Problem[] => {
  const host = connectTo === undefined ? url?.hostname : hostOfConnectTo(connectTo)
  if (addressFamily === undefined || host === undefined) return []
  const found = URL.parse(`http://${isIPv6(host) ? `[${host}]` : host}/`)?.hostname ?? ''
  const literal = isIP(found.replace(/^\[(.*)\]$/, '$1'))
  if (literal === 0 || addressFamily === `ipv${literal}`) return []
  return [
    {
      field: 'addressFamily',
      message: `is never met: the address that is connected is IPv${literal}`,
    },
  ]
}

/** Options that contradict each other or the URL. */
const optionProblems = (request: HttpRequest, url: URL | null): Problem[] => {
  const isPlain = url?.protocol === 'http:'
  const problems = [...identityProblems(request, isPlain), ...familyProblems(request, url)]
  const needsTls = (field: string, what: string): void => {
    if (isPlain) problems.push({ field, message: `${what} needs an https URL` })
  }
  if (request.httpVersion === '2') needsTls('httpVersion', 'HTTP/2')
  if (request.clientCertificate !== undefined) {
    needsTls('clientCertificate.certificate', 'a client certificate')
    if (request.clientCertificate.key.trim() === '') {
      const message = 'is missing: name a secret, such as {{ secret.client_key }}, or paste the private key'
      problems.push({ field: 'clientCertificate.key', message })
    }
    if (!isCertificate(request.clientCertificate.certificate)) {
      problems.push({
        field: 'clientCertificate.certificate',
        message: 'cannot be read as a certificate in PEM',
      })
    }
  }
  if (request.certificateDaysMin !== undefined) needsTls('certificateDaysMin', 'this limit')
  if (request.method === 'HEAD' && (request.body ?? '') !== '') {
    problems.push({ field: 'body', message: 'HEAD has no body; choose another method' })
  }
  const { redirectsTo } = request
  if (redirectsTo !== undefined) {
    problems.push(
      ...secretProblems('redirectsTo', redirectsTo).map(({ message }) => ({ field: 'redirectsTo', message })),
    )
  }
  if (redirectsTo !== undefined && url !== null && !isWebUrl(redirectsTo, url)) {
    problems.push({
      field: 'redirectsTo',
      message: 'must be an http or https URL, or a path on the same host',
    })
  }
  if (redirectsTo !== undefined && request.redirects === 'follow') {
    problems.push({ field: 'redirects', message: 'an expected redirect is not followed; leave this empty' })
  }
  const authorization = request.headers?.findIndex(({ name }) => name.toLowerCase() === 'authorization') ?? -1
  if (request.auth !== undefined && authorization >= 0) {
    const message = 'is sent by the credentials already; remove one of the two'
    problems.push({ field: `headers[${authorization}].name`, message })
  }
  return problems
}

const isWebUrl = (text: string, base: URL): boolean =>
  /^https?:$/.test(URL.parse(text, base.href)?.protocol ?? '')

const isCertificate = (pem: string): boolean => {
  try {
    return new X509Certificate(pem).subject !== ''
  } catch {
    return false
  }
}

const referenceProblems = (
  text: string,
  receivers: readonly string[],
  hostsOf: (name: string) => readonly string[] | undefined,
): string[] => {
  const problems = secretsIn([text]).flatMap((name) => {
    const hosts = hostsOf(name)
    if (hosts === undefined) return [`there is no secret with the name ${name}; create it first`]
    const urls = receivers.flatMap((receiver) => URL.parse(receiver) ?? [])
    const missing = urls.filter((url) => !maySendTo(hosts, url)).map(entryOf)
    if (missing.length === 0) return []
    return [
      `the secret ${name} may be sent to ${hosts.join(', ')} only; add ${missing.join(' and ')} to its hosts`,
    ]
  })
  // what is left looks like a reference and is none
  const isBroken = /\{\{\s*secrets?\b/.test(withSecrets(text, () => ''))
  return isBroken ? [...problems, 'a secret is named as {{ secret.name }}'] : problems
}

/** The texts of a request that may name secrets, by field. */
const textsOf = ({
  headers,
  auth,
  clientCertificate,
  body,
}: HttpRequest): { field: string; text: string }[] => [
  ...(headers ?? []).map(({ value }, index) => ({ field: `headers[${index}].value`, text: value })),
  ...(auth?.type === 'basic'
    ? [
        { field: 'auth.username', text: auth.username },
        { field: 'auth.password', text: auth.password },
      ]
    : []),
  ...(auth?.type === 'bearer' ? [{ field: 'auth.token', text: auth.token }] : []),
  ...(clientCertificate === undefined
    ? []
    : [{ field: 'clientCertificate.key', text: clientCertificate.key }]),
  ...(body === undefined ? [] : [{ field: 'body', text: body }]),
]
