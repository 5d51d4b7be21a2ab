import {
  importedMax,
  type ImportedOperation,
  type OpenApiDraft,
} from '@probe-mesh/contracts/check/check-import'
import { HttpRequest, type RequestHeader } from '@probe-mesh/contracts/check/request-options'
import { limits } from '@probe-mesh/contracts/schema/limits'
import { queryWarnings } from '../draft/http-check-of.ts'
import { createNotes, type Notes } from '../draft/notes.ts'
import { fateOf } from '../draft/request-headers.ts'
import { targetNotes } from '../draft/written-target.ts'
import type { Read } from '../draft/read.ts'
import { isNode, listOf, nodeOf, parseOpenApi, resolve, resolveItem, textOf, type Node } from './document.ts'
import { bodyOf, type Body } from './body.ts'
import { requiredPath } from './examples.ts'
import { parametersOf, type Parameters } from './parameters.ts'
import { createSecretNames, credentialsOf, type Credentials, type SecretNames } from './security.ts'
import { fromSwagger2 } from './swagger-2.ts'
import { withoutEnd } from '@probe-mesh/runtime/without-end'

type Draft = Pick<OpenApiDraft, 'title' | 'operations' | 'leftOut' | 'neededSecrets'>

const methods = ['get', 'head', 'post', 'put', 'patch', 'delete'] as const
const safeMethods: ReadonlySet<string> = new Set(['get', 'head'])

/**
 * Reads an OpenAPI document as one http check an operation. An operation is left out, with the reason, where the
 * document does not say what to send or to expect.
 * @param taken the names of secrets that the account has
 * @param baseUrl in place of a server that names no host; null: the document must name one
 */
export const readOpenApi = (text: string, taken: Iterable<string>, baseUrl: string | null): Read<Draft> => {
  const parsed = parseOpenApi(text)
  if ('problem' in parsed) return { problems: [parsed.problem] }
  const document = parsed.isSwagger2 === true ? fromSwagger2(parsed.document) : parsed.document
  const secrets = createSecretNames(taken)
  const draft: Draft = {
    title: textOf(nodeOf(document['info'])['title'])?.slice(0, 100) ?? 'API',
    operations: [],
    leftOut: [],
    neededSecrets: [],
  }
  const at: At = {
    document,
    secrets,
    baseUrl,
    notes: createNotes(),
    unsent: { parameters: 0, bodies: 0 },
  }
  let [left, count] = [0, 0]
  for (const found of operationsIn(document)) {
    const operation = `${found.method.toUpperCase()} ${found.path}`.slice(0, 200)
    count += 1
    if (draft.operations.length + draft.leftOut.length >= importedMax) left += 1
    else {
      const read = 'why' in found ? found.why : readOperation(at, found)
      if (typeof read === 'string') draft.leftOut.push({ operation, why: read })
      else draft.operations.push({ operation, ...read })
    }
  }
  if (count === 0) return { problems: ['The document has no operations: its "paths" are empty.'] }
  if (left > 0) at.notes.add(`The document has ${count} operations; the first ${importedMax} are read.`)
  for (const note of [...unsentNotes(at), ...documentNotes(document)]) at.notes.add(note)
  return { ...draft, neededSecrets: [...secrets.needed], warnings: at.notes.list() }
}

const unsentNotes = ({ unsent: { parameters, bodies } }: At): string[] => [
  ...(parameters === 0 ? [] : [`Parameters that are not required are not sent: ${parameters}.`]),
  ...(bodies === 0 ? [] : [`Bodies that are not required and have no example are not sent: ${bodies}.`]),
]

/** Parts of a document that no check is made of. */
const documentNotes = (document: Node): string[] => {
  const servers = listOf(document['servers']).length
  const webhooks = Object.keys(nodeOf(document['webhooks'])).length
  return [
    ...(servers > 1 ? [`The document names ${servers} servers; the first is taken.`] : []),
    ...(document['host'] !== undefined && listOf(document['schemes']).length === 0
      ? ['The document names no scheme for its host; https is taken.']
      : []),
    ...(webhooks > 0 ? [`Webhooks are requests to others, and are left out: ${webhooks}.`] : []),
  ]
}

type Named =
  | { path: string; method: (typeof methods)[number]; item: Node }
  /** It is left out. */
  | { path: string; method: string; why: string }

const operationsIn = (document: Node): Named[] =>
  Object.entries(nodeOf(document['paths'])).flatMap(([path, value]): Named[] => {
    if (path.startsWith('x-')) return []
    const item = resolveItem(document, value)
    if ('problem' in item) return [{ path, method: 'each method of', why: item.problem }]
    const isGiven = (method: string): boolean => isNode(item.node[method])
    const known = methods.filter(isGiven)
    if (!path.startsWith('/')) {
      return known.map((method) => ({ path, method, why: 'its path does not begin with a slash' }))
    }
    return [
      ...known.map((method) => ({ path, method, item: item.node })),
      ...['options', 'trace']
        .filter(isGiven)
        .map((method) => ({ path, method, why: `a check sends no ${method.toUpperCase()}` })),
    ]
  })

type At = {
  document: Node
  secrets: SecretNames
  baseUrl: string | null
  notes: Notes
  /** What operations do not need, and checks do not send. */
  unsent: { parameters: number; bodies: number }
}

/** @returns as a text why the operation is left out */
const readOperation = (
  at: At,
  { path, method, item }: Exclude<Named, { why: string }>,
): Omit<ImportedOperation, 'operation'> | string => {
  const { document } = at
  const operation = nodeOf(item[method])
  if (operation['deprecated'] === true) return 'it is deprecated'
  const server = serverOf(document, item, operation, at.baseUrl)
  if (server === null) return noServer
  const answer = answerOf(document, operation)
  if (typeof answer === 'string') return answer
  const parameters = parametersOf(document, item, operation, path)
  if (typeof parameters === 'string') return parameters
  const url = urlOf(server, parameters, at.notes)
  if (typeof url === 'string') return url
  const sent = safeMethods.has(method) ? { body: {}, isLeftOut: false } : bodyOf(document, operation)
  if (typeof sent === 'string') return sent
  const request = requestOf(at, { operation, method, url, parameters, body: sent.body })
  if (typeof request === 'string') return request
  at.unsent.parameters += parameters.optional
  if (sent.isLeftOut) at.unsent.bodies += 1
  if (operation['callbacks'] !== undefined)
    at.notes.add('Callbacks are requests to others, and are left out.')
  const summary = textOf(operation['summary'])?.replaceAll(/\s+/g, ' ')
  return {
    check: {
      type: 'http',
      name: (summary ?? `${method.toUpperCase()} ${path}`).slice(0, limits.nameCharactersMax),
      url: url.href,
      ...(Object.keys(request).length > 0 && { request }),
      ...(answer.status !== null && {
        assertions: { assertionStatusMin: answer.status[0], assertionStatusMax: answer.status[1] },
      }),
    },
    isSafe: safeMethods.has(method),
    jsonPath: method === 'head' ? null : answer.jsonPath,
  }
}

/** @returns as a text why there is none */
const urlOf = (server: string, { path, query }: Parameters, notes: Notes): URL | string => {
  const written = `${server}${path}`
  const url = URL.parse(written)
  if (url === null) return 'its URL is not valid'
  if (url.username !== '' || url.password !== '') return 'its server has credentials in its URL'
  // a template may have a query of its own
  url.search = [url.search.slice(1), query].filter((part) => part !== '').join('&')
  if (url.href.length > limits.urlCharactersMax) return 'its URL is too long'
  const target = targetNotes(withQuery(written, query), url, 'the document')
  for (const note of [...queryWarnings(url), ...target]) notes.add(note)
  return url
}

type Parts = { operation: Node; method: string; url: URL; parameters: Parameters; body: Body }

/** @returns as a text why a check cannot send it */
const requestOf = (
  { document, secrets, notes }: At,
  { operation, method, url, parameters, body }: Parts,
): HttpRequest | string => {
  // a secret is named only for an operation that is read
  const credentials = credentialsOf(document, operation['security'] ?? document['security'], url, secrets)
  if (typeof credentials === 'string') return credentials
  const named = headersOf(parameters, credentials, (name, about) => secrets.refer(name, '', about, url))
  const fates = named.map(({ name, value }) => fateOf(name, value, { url, body: body.body ?? null }))
  const refused = fates.flatMap((fate) =>
    typeof fate === 'object' && 'problems' in fate ? fate.problems : [],
  )
  if (refused.length > 0) return refused.join(' ')
  const headers = named.filter((_, at) => fates[at] === 'sent')
  const host = fates.find((fate) => typeof fate === 'object')
  const request = HttpRequest.safeParse({
    ...(method !== 'get' && { method: method.toUpperCase() }),
    ...(headers.length > 0 && { headers }),
    ...(credentials.auth !== null && { auth: credentials.auth }),
    ...body,
    ...host,
  })
  if (!request.success)
    return request.error.issues.map(({ path, message }) => `${path.join('.')} ${message}`).join('; ')
  for (const [at, { name }] of named.entries()) if (fates[at] === 'own') notes.of('own', name)
  for (const warning of credentials.warnings) notes.add(warning)
  return request.data
}

const withQuery = (url: string, query: string): string =>
  query === '' ? url : `${url}${url.includes('?') ? '&' : '?'}${query}`

/** The headers of an operation: credentials of its security, then those of its parameters; cookies are one header. */
const headersOf = (
  parameters: Parameters,
  credentials: Credentials,
  refer: (name: string, about: string) => string,
): RequestHeader[] => {
  const given = new Set(credentials.headers.map(({ name }) => name.toLowerCase()))
  const named = parameters.credentials.filter(
    ({ place, name }) => place === 'header' && !given.has(name.toLowerCase()),
  )
  const cookies = [
    ...parameters.cookies,
    ...credentials.cookies,
    ...parameters.credentials
      .filter(({ place }) => place === 'cookie')
      .map(({ name }) => `${name}=${refer(name, `The value of the cookie ${name}`)}`),
  ]
  return [
    ...parameters.headers,
    ...credentials.headers,
    ...named.map(({ name }) => ({ name, value: refer(name, `The header ${name}`) })),
    ...(cookies.length === 0 ? [] : [{ name: 'Cookie', value: [...new Set(cookies)].join('; ') }]),
  ]
}

/** The first server of the operation, its path or the document, without a slash at the end. */
const serverOf = (document: Node, item: Node, operation: Node, baseUrl: string | null): string | null => {
  const servers = [operation, item, document]
    .map((each) => listOf(each['servers']))
    .find((each) => each.length > 0)
  const server = nodeOf(servers?.[0])
  const variables = nodeOf(server['variables'])
  const template = textOf(server['url']) ?? '/'
  const text = template.replaceAll(/\{([^{}]+)\}/g, (whole, name: string) => {
    const { default: value } = nodeOf(variables[name])
    return value === undefined ? whole : String(value)
  })
  const url = baseUrl === null ? URL.parse(text) : URL.parse(text, baseUrl)
  return url === null || !/^https?:$/.test(url.protocol) || /[{}]/.test(text)
    ? null
    : withoutEnd(url.href, '/')
}

const noServer = 'the document names no server with a host: enter its address'

type Answer = { status: readonly [min: number, max: number] | null; jsonPath: string | null }

/** The answers with 2xx that an operation documents. */
const answerOf = (document: Node, operation: Node): Answer | string => {
  const responses = Object.entries(nodeOf(operation['responses']))
  const exact = responses.filter(([code]) => /^2\d\d$/.test(code))
  const any =
    responses.find(([code]) => /^2xx$/i.test(code)) ?? responses.find(([code]) => code === 'default')
  const [first] = exact.toSorted(([a], [b]) => Number(a) - Number(b))
  const chosen = first ?? any
  if (chosen === undefined) return 'no answer with a status of 2xx is documented'
  const codes = exact.map(([code]) => Number(code))
  const response = resolve(document, chosen[1])
  return {
    status: codes.length === 0 ? null : [Math.min(...codes), Math.max(...codes)],
    // an answer of another status may lack what the first one has
    jsonPath: 'node' in response && codes.length === 1 ? requiredPath(document, response.node) : null,
  }
}
