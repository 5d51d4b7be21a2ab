import {
  importedMax,
  type ImportedOperation,
  type OpenApiDraft,
} from '@probe-mesh/contracts/check/check-import'
import { HttpRequest } from '@probe-mesh/contracts/check/request-options'
import { limits } from '@probe-mesh/contracts/schema/limits'
import { queryWarnings } from '../draft/http-check-of.ts'
import type { Read } from '../draft/read.ts'
import { isNode, listOf, nodeOf, parseOpenApi, resolve, textOf, type Node } from './document.ts'
import { exampleOf, requiredPath } from './examples.ts'
import { parametersOf } from './parameters.ts'
import { createSecretNames, credentialsOf, type SecretNames } from './security.ts'
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
  const { document } = parsed
  const secrets = createSecretNames(taken)
  const draft: Draft & { warnings: string[] } = {
    title: textOf(nodeOf(document['info'])['title'])?.slice(0, 100) ?? 'API',
    operations: [],
    leftOut: [],
    neededSecrets: [],
    warnings: [],
  }
  const at = { document, secrets, baseUrl, warnings: draft.warnings }
  let [left, count] = [0, 0]
  for (const { path, method, item } of operationsIn(document)) {
    const operation = `${method.toUpperCase()} ${path}`.slice(0, 200)
    count += 1
    if (draft.operations.length + draft.leftOut.length >= importedMax) left += 1
    else {
      const read = readOperation(at, { path, method, item })
      if (typeof read === 'string') draft.leftOut.push({ operation, why: read })
      else draft.operations.push({ operation, ...read })
    }
  }
  if (count === 0) return { problems: ['The document has no operations: its "paths" are empty.'] }
  if (left > 0)
    draft.warnings.push(`The document has ${count} operations; the first ${importedMax} are read.`)
  return { ...draft, neededSecrets: [...secrets.needed], warnings: [...new Set(draft.warnings)] }
}

type Named = { path: string; method: (typeof methods)[number]; item: Node }

const operationsIn = (document: Node): Named[] =>
  Object.entries(nodeOf(document['paths'])).flatMap(([path, value]) => {
    const item = resolve(document, value)
    if (!path.startsWith('/') || 'problem' in item) return []
    return methods
      .filter((method) => isNode(item.node[method]))
      .map((method) => ({ path, method, item: item.node }))
  })

type At = { document: Node; secrets: SecretNames; baseUrl: string | null; warnings: string[] }

/** @returns as a text why the operation is left out */
const readOperation = (
  { document, secrets, baseUrl, warnings }: At,
  { path, method, item }: Named,
): Omit<ImportedOperation, 'operation'> | string => {
  const operation = nodeOf(item[method])
  if (operation['deprecated'] === true) return 'it is deprecated'
  const server = serverOf(document, item, operation, baseUrl)
  if (server === null) return noServer
  const answer = answerOf(document, operation)
  if (typeof answer === 'string') return answer
  const parameters = parametersOf(document, item, operation, path)
  if (typeof parameters === 'string') return parameters
  const url = URL.parse(`${server}${parameters.path}`)
  if (url === null) return 'its URL is not valid'
  url.search = parameters.query
  const body = safeMethods.has(method) ? none : bodyOf(document, operation)
  if (typeof body === 'string') return body
  // a secret is named only for an operation that is read
  const credentials = credentialsOf(document, operation['security'] ?? document['security'], url, secrets)
  if (typeof credentials === 'string') return credentials
  const named = parameters.credentialHeaders
    .filter((name) => !credentials.headers.some((each) => each.name.toLowerCase() === name.toLowerCase()))
    .map((name) => ({ name, value: secrets.refer(name, '', `The header ${name}`, url) }))
  const headers = [...parameters.headers, ...credentials.headers, ...named]
  const request = HttpRequest.safeParse({
    ...(method !== 'get' && { method: method.toUpperCase() }),
    ...(headers.length > 0 && { headers }),
    ...(credentials.auth !== null && { auth: credentials.auth }),
    ...body,
  })
  if (!request.success)
    return request.error.issues.map(({ path, message }) => `${path.join('.')} ${message}`).join('; ')
  if (url.href.length > limits.urlCharactersMax) return 'its URL is too long'
  warnings.push(...credentials.warnings, ...queryWarnings(url))
  const summary = textOf(operation['summary'])?.replaceAll(/\s+/g, ' ')
  return {
    check: {
      type: 'http',
      name: (summary ?? `${method.toUpperCase()} ${path}`).slice(0, limits.nameCharactersMax),
      url: url.href,
      ...(Object.keys(request.data).length > 0 && { request: request.data }),
      ...(answer.status !== null && {
        assertions: { assertionStatusMin: answer.status[0], assertionStatusMax: answer.status[1] },
      }),
    },
    isSafe: safeMethods.has(method),
    jsonPath: method === 'head' ? null : answer.jsonPath,
  }
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

type Body = { body?: string; contentType?: string }
const none: Body = {}

const bodyOf = (document: Node, operation: Node): Body | string => {
  if (operation['requestBody'] === undefined) return none
  const body = resolve(document, operation['requestBody'])
  if ('problem' in body) return body.problem
  const media = Object.entries(nodeOf(body.node['content']))
  for (const [contentType, value] of media) {
    const example = exampleOf(document, nodeOf(value))
    const text = example === null ? null : bodyText(contentType, example.value)
    if (text !== null) return { body: text, contentType }
  }
  return body.node['required'] === true ? 'its body has no example' : none
}

/** null: a check cannot send it. */
const bodyText = (contentType: string, value: unknown): string | null => {
  if (/^application\/(?:.*\+)?json\b/i.test(contentType)) return JSON.stringify(value)
  if (typeof value === 'string' && !contentType.startsWith('multipart/')) return value
  if (!contentType.startsWith('application/x-www-form-urlencoded') || !isNode(value)) return null
  const pairs = Object.entries(value).map(([name, each]): [string, string] => [name, String(each)])
  return new URLSearchParams(pairs).toString()
}
