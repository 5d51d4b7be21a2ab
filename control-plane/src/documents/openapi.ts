import { eventsRoute, metricsRoute, routes, type Route } from '@probe-mesh/contracts/api/routes'
import { refusals, Problem, type RefusalCode } from '@probe-mesh/contracts/schema/refusal'
import { answerRoutes, answersPath, type AnswerRoute } from '@probe-mesh/contracts/outage/answer-routes'
import { probesRoute } from '@probe-mesh/contracts/agent/probes'
import type { z } from 'zod'
import {
  allowHeader,
  budgetHeaders,
  etagHeader,
  locationHeader,
  replayHeader,
  requestHeader,
  requestHeaders,
  retryHeader,
} from './openapi-headers.ts'
import { toSchema, type Json } from './openapi-schema.ts'
import { bodyExamples } from './body-examples.ts'
import { tagOf, tags } from './openapi-tags.ts'
import { answerCodes, routeCodes } from './route-codes.ts'

/**
 * The OpenAPI 3.1 document of the route tables.
 * @param serverUrl where `{api_url}` is, such as `http://127.0.0.1:8080/v1` or the relative `/v1`
 */
export const openApiDocument = (serverUrl: string): Json => {
  const components: Json = {}
  const paths: Record<string, Json> = {}
  const add = (name: string, operation: Operation): void => {
    const path = operation.path.replace(/:(\w+)/g, '{$1}')
    const described = describeOperation(name, operation, components)
    paths[path] = { ...paths[path], [operation.method.toLowerCase()]: described }
  }
  for (const [name, route] of Object.entries<Route>(routes)) add(name, keyed(route))
  const stream = {
    mediaType: 'text/event-stream',
    fields: { ...requestHeader, ...budgetHeaders },
    revalidates: false,
  }
  add('streamEvents', { ...keyed(eventsRoute), ...stream })
  add('getMetrics', { ...keyed(metricsRoute), ...stream, mediaType: 'text/plain' })
  for (const [name, route] of Object.entries<AnswerRoute>(answerRoutes)) add(name, keyless(route))
  add('getProbes', atRoot)
  // relative to the site and not to the API
  paths[probesRoute.path] = {
    servers: [{ url: serverUrl.replace(/\/v1$/, '') || '/' }],
    ...paths[probesRoute.path],
  }
  toSchema(Problem, 'output', components)
  return {
    openapi: '3.1.1',
    info: {
      title: 'Probe Mesh',
      version: '1',
      description:
        'Uptime monitoring on a distributed probe mesh. Every refusal is application/problem+json with a stable code.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: serverUrl }],
    security: [{ apiKey: [] }],
    tags: tags.map(({ name, about }) => ({ name, description: about })),
    paths,
    components: {
      securitySchemes: { apiKey: { type: 'http', scheme: 'bearer' } },
      schemas: sortKeys(components),
      responses: problemResponses(),
    },
  }
}

/** A route of either table, for the document. */
type Operation = Pick<Route, 'method' | 'path' | 'summary' | 'success' | 'output'> &
  Pick<Route, 'params' | 'query' | 'body'> & {
    mediaType: string
    description: string
    codes: readonly RefusalCode[]
    /** The request headers, and the headers of every answer. */
    headers: readonly Json[]
    fields: Json
    /** Whether a client that has the answer gets 304. */
    revalidates: boolean
    /** Absent: the default of the document. */
    security?: readonly []
    /** What a key must be allowed to do, and the budget that pays. null without a key. */
    scope: Route['scope'] | null
    budget: Route['budget'] | 'keyless' | null
  }

const keyed = (route: Route): Operation => ({
  ...route,
  mediaType: 'application/json',
  description: describe(route),
  codes: routeCodes(route),
  headers: requestHeaders(route),
  fields: {
    ...requestHeader,
    ...budgetHeaders,
    ...(route.method === 'POST' ? replayHeader : {}),
    ...(route.location === undefined ? {} : locationHeader),
    ...(route.method === 'GET' ? etagHeader : {}),
  },
  revalidates: route.method === 'GET',
})

const keyless = (route: AnswerRoute): Operation => ({
  ...route,
  path: answersPath + route.path,
  mediaType: 'application/json',
  description: 'Needs no key and stores nothing about the caller. Spends the keyless budget of the address.',
  codes: answerCodes(route),
  headers: [],
  fields: { ...requestHeader, ...budgetHeaders, ...(route.method === 'GET' ? etagHeader : {}) },
  revalidates: route.method === 'GET',
  security: [],
  scope: null,
  budget: 'keyless',
})

const atRoot: Operation = {
  ...probesRoute,
  mediaType: 'application/json',
  description: 'Needs no key and spends no budget. May be cached for five minutes.',
  codes: ['SV-9001'],
  headers: [],
  fields: requestHeader,
  revalidates: false,
  security: [],
  scope: null,
  budget: null,
}

const describeOperation = (name: string, operation: Operation, components: Json): Json => ({
  operationId: name,
  tags: [tagOf(operation.path)],
  summary: operation.summary,
  description: operation.description,
  ...(operation.security === undefined ? {} : { security: operation.security }),
  // the codes of its refusals: several codes share a status
  'x-refusals': operation.codes,
  'x-scope': operation.scope,
  'x-budget': operation.budget,
  ...nonEmpty('parameters', [
    ...parameters('path', operation.params, components),
    ...parameters('query', operation.query, components),
    ...operation.headers,
  ]),
  ...(operation.body === undefined
    ? {}
    : {
        requestBody: {
          required: true,
          content: {
            'application/json': {
              schema: namedInput(name, operation.body, components),
              ...exampleOf(name),
            },
          },
        },
      }),
  responses: {
    [operation.success]: {
      description: operation.success === 201 ? 'Created' : 'Done',
      headers: operation.fields,
      content: {
        [operation.mediaType]: { schema: toSchema(operation.output, 'output', components) },
      },
    },
    ...(operation.revalidates ? { 304: { $ref: '#/components/responses/Unchanged' } } : {}),
    ...problemReferences(operation),
  },
})

/** The body of an operation as a schema with a name, which generators use. */
const namedInput = (operation: string, body: z.ZodType, components: Json): Json => {
  const name = `${operation.charAt(0).toUpperCase()}${operation.slice(1)}Input`
  components[name] = toSchema(body, 'input', components)
  return { $ref: `#/components/schemas/${name}` }
}

const describe = (route: Route): string =>
  [
    `Needs a key with scope \`${route.scope}\`. Spends the budget of ${route.budget}.`,
    ...(route.client === undefined ? [] : [`Only the client \`${route.client}\` may call it.`]),
  ].join(' ')

const nonEmpty = (name: string, list: readonly Json[]): Json => (list.length === 0 ? {} : { [name]: list })

const exampleOf = (name: string): Json => {
  const example = Object.entries(bodyExamples).find(([route]) => route === name)?.[1]
  return example === undefined ? {} : { example }
}

const parameters = (where: 'path' | 'query', fields: z.ZodObject | undefined, components: Json): Json[] => {
  if (fields === undefined) return []
  return Object.entries(fields.shape).map(([name, field]) => {
    const { description, ...schema } = toSchema(asField(field), 'input', components)
    const required = where === 'path' || !asField(field).safeParse(undefined).success
    return { name, in: where, required, description, schema }
  })
}

/** All fields of the table's schemas are zod types. */
const asField = (field: z.core.$ZodType): z.ZodType => field as z.ZodType

const sortKeys = (value: Json): Json =>
  Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1)))

/** Further statuses of SV-2001, for a body that cannot be parsed. */
const unreadable = { 400: 'not JSON', 413: 'too large' } as const

const problemReferences = ({ codes, body }: Operation): Json => {
  const ofCodes = codes.map((code): number => refusals[code].status)
  const ofBody = body === undefined ? [] : Object.keys(unreadable).map(Number)
  return Object.fromEntries(
    [...new Set([...ofCodes, ...ofBody])]
      .toSorted((a, b) => a - b)
      .map((status) => [status, { $ref: `#/components/responses/Problem${status}` }]),
  )
}

const problemResponses = (): Json => {
  const titles = new Map<number, string[]>()
  for (const [code, { status, title }] of Object.entries(refusals)) {
    titles.set(status, [...(titles.get(status) ?? []), `${code}: ${title}`])
  }
  for (const [status, title] of Object.entries(unreadable)) {
    titles.set(Number(status), [`SV-2001: the body is ${title}`])
  }
  const content = {
    'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } },
  }
  const headersOf = (status: number): Json => ({
    ...requestHeader,
    ...(status === 405 ? allowHeader : {}),
    ...(status === 429 || status === 503 ? retryHeader : {}),
  })
  const problems = [...titles]
    .toSorted(([a], [b]) => a - b)
    .map(([status, lines]) => {
      const description = lines.join('; ')
      return [`Problem${status}`, { description, headers: headersOf(status), content }] as const
    })
  const unchanged = {
    description: 'The client has the current answer',
    headers: { ...requestHeader, ...etagHeader },
  }
  return { Unchanged: unchanged, ...Object.fromEntries(problems) }
}
