import type { ImportedHttpCheck } from '@probe-mesh/contracts/check/check-import'
import { HttpRequest } from '@probe-mesh/contracts/check/request-options'
import { limits } from '@probe-mesh/contracts/schema/limits'
import { isCredentialField, withSecretsFor, type PlainRequest, type SafeRequest } from './credentials.ts'
import type { SecretFinder } from './found-secrets.ts'
import type { Notes } from './notes.ts'

/** What an import says of a check beyond its request. */
export type Extra = {
  timeoutSeconds?: number
} & Pick<HttpRequest, 'redirects' | 'httpVersion' | 'addressFamily' | 'connectTo' | 'pins'>

/**
 * The http check of one request, its credentials as secrets.
 * @param notes takes what a check does otherwise
 */
export const httpCheckOf = (
  plain: PlainRequest,
  { timeoutSeconds, ...extra }: Extra,
  secrets: SecretFinder,
  notes: Notes,
): { check: ImportedHttpCheck; problems: string[] } => {
  const { url, method, contentType } = plain
  const before = secrets.problems.length
  const safe = withSecretsFor(plain, secrets, notes)
  const problems = [...safe.problems, ...secrets.problems.slice(before), ...problemsOf(plain, safe)]
  for (const warning of queryWarnings(url)) notes.add(warning)
  const { httpVersion, ...others } = extra
  const isHttp2OverTls = httpVersion !== '2' || url.protocol === 'https:'
  if (!isHttp2OverTls) notes.add('HTTP/2 is left out: it needs https.')
  const request: HttpRequest = {
    ...(method !== 'GET' && { method }),
    ...(safe.headers.length > 0 && { headers: safe.headers }),
    ...(safe.auth !== null && { auth: safe.auth }),
    ...(safe.body !== null && { body: safe.body }),
    ...(contentType !== null && { contentType }),
    ...others,
    ...(safe.hostHeader !== null && { hostHeader: safe.hostHeader }),
    ...(httpVersion !== undefined && isHttp2OverTls && { httpVersion }),
  }
  const isPlain = Object.keys(request).length === 0
  return {
    check: {
      type: 'http',
      name: nameOf(url),
      url: url.href,
      ...(timeoutSeconds !== undefined && { timeoutSeconds }),
      ...(!isPlain && { request }),
    },
    problems: problems.length > 0 || isPlain ? problems : invalidParts(request),
  }
}

/** A part that the check's own schema refuses: none is expected, and each is named. */
const invalidParts = (request: HttpRequest): string[] =>
  HttpRequest.safeParse(request).error?.issues.map(({ path, message }) => `${path.join('.')}: ${message}.`) ??
  []

const headersMax = 20

const problemsOf = ({ url }: PlainRequest, { headers, body }: SafeRequest): string[] => [
  ...(headers.length > headersMax
    ? [
        `The request has ${headers.length} headers; a check sends ${headersMax} at most. Remove those that do not matter.`,
      ]
    : []),
  ...(body !== null && body.length > limits.stepBodyCharactersMax
    ? [`The body has ${body.length} characters; a check sends ${limits.stepBodyCharactersMax} at most.`]
    : []),
  ...(url.href.length > limits.urlCharactersMax
    ? [`The URL has ${url.href.length} characters; ${limits.urlCharactersMax} are allowed.`]
    : []),
]

/** A URL is stored and shown as it is, so a credential in it cannot be a secret. */
export const queryWarnings = ({ searchParams }: URL): string[] =>
  [...searchParams.keys()]
    .filter(isCredentialField)
    .map(
      (name) =>
        `The URL contains ${name}, which everyone who sees the check can read. Send it in a header, if the server accepts that.`,
    )

/** The host and path, as the name of a check is by default. */
const nameOf = ({ host, pathname }: URL): string =>
  `${host}${pathname}`.replace(/\/$/, '').slice(0, limits.nameCharactersMax)
