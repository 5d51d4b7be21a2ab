import { isIP, isIPv6 } from 'node:net'
import {
  clientIdentity,
  readCertificates,
  readPrivateKey,
  tlsProblem,
} from '@probe-mesh/contracts/check/client-certificate'
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

/** As it is stored and sent to agents. */
const chainCharactersMax = 20_000

type HostsOf = (name: string) => readonly string[] | undefined
type ValueOf = (name: string) => string | undefined

/**
 * Everything that is wrong with the requests of a check and that no field shows alone.
 * @param hostsOf the hosts of a secret; undefined: there is none of this name
 * @param valueOf the value of a secret that is a key; undefined: not known here
 */
export const requestProblems = (
  placed: readonly PlacedRequest[],
  hostsOf: HostsOf,
  valueOf: ValueOf = () => undefined,
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
  return [...placed.flatMap((one) => problemsOf(one, hostsOf, valueOf)), ...tooMany]
}

const problemsOf = (
  { url: text, bodyPath, optionsPath, request }: PlacedRequest,
  hostsOf: HostsOf,
  valueOf: ValueOf,
): FieldProblem[] => {
  const url = URL.canParse(text) ? new URL(text) : null
  const at = (field: string): string => (field === 'body' ? bodyPath : `${optionsPath}.${field}`)
  const ofSecrets = textsOf(request).flatMap(({ field, text: value }) =>
    referenceProblems(value, receiversOf(text, request), hostsOf).map((message) => ({ field, message })),
  )
  const withKeys = textsOf(request).flatMap(({ field, text: value }) =>
    field !== keyField && hasPrivateKey(value) ? [{ field, message: privateKeyMessage }] : [],
  )
  const problems = [
    ...optionProblems(request, url),
    ...clientProblems(request, valueOf),
    ...ofSecrets,
    ...withKeys,
  ]
  return problems.map(({ field, message }) => ({ path: at(field), message }))
}

const certificateField = 'clientCertificate.certificate'
const keyField = 'clientCertificate.key'
const besideProblem =
  'contains a private key beside the one that is named, or several; remove what is no certificate'
const missingKey = 'is missing: name a secret, such as {{ secret.client_key }}, or paste the private key'

/** Why a client certificate cannot be used. A key in clear is one that could not become a secret. */
const clientProblems = ({ clientCertificate }: HttpRequest, valueOf: ValueOf): Problem[] => {
  if (clientCertificate === undefined) return []
  const { certificate, key } = clientCertificate
  const [name] = secretsIn([key])
  const read = readCertificates(certificate)
  const tooLong = `has ${certificate.length} characters of certificates; a chain may have ${chainCharactersMax}`
  const unreadable =
    'problem' in read ? read.problem : certificate.length > chainCharactersMax ? tooLong : null
  const ofCertificate = unreadable === null ? [] : [{ field: certificateField, message: unreadable }]
  if (name === undefined) return [...ofKeyInClear(certificate, key), ...ofCertificate]
  if (hasPrivateKey(certificate)) return [{ field: certificateField, message: besideProblem }]
  const value = valueOf(name)
  if (value === undefined || ofCertificate.length > 0) return ofCertificate
  const identity = clientIdentity(certificate, value)
  const problem = 'problem' in identity ? identity.problem : tlsProblem(identity)
  if (problem === null) return []
  const field = 'field' in identity ? `clientCertificate.${identity.field}` : certificateField
  return [{ field, message: field === keyField ? `the secret ${name} ${problem}` : problem }]
}

const ofKeyInClear = (certificate: string, key: string): Problem[] => {
  const pasted = key.trim() === '' ? null : readPrivateKey(key)
  const beside = hasPrivateKey(certificate) ? readPrivateKey(certificate) : null
  if (pasted !== null && 'problem' in pasted) return [{ field: keyField, message: pasted.problem }]
  if (beside === null) return pasted === null ? [{ field: keyField, message: missingKey }] : []
  if (pasted === null && 'problem' in beside) {
    return [{ field: certificateField, message: `contains a private key, which ${beside.problem}` }]
  }
  return [{ field: certificateField, message: besideProblem }]
}

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
  if (request.clientCertificate !== undefined) needsTls(certificateField, 'a client certificate')
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

const referenceProblems = (text: string, receivers: readonly string[], hostsOf: HostsOf): string[] => {
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
  ...(clientCertificate === undefined ? [] : [{ field: keyField, text: clientCertificate.key }]),
  ...(body === undefined ? [] : [{ field: 'body', text: body }]),
]
