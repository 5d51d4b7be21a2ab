import { refusals, Problem } from '@probe-mesh/contracts/refusal'
import type { RefusalCode } from '@probe-mesh/contracts/refusal'
import {
  Check,
  CheckDetail,
  RegionStatus,
  Series,
  SeriesPoint,
  StoredReading,
  Uptime,
} from '@probe-mesh/contracts/check'
import { Me } from '@probe-mesh/contracts/account'
import { Flip } from '@probe-mesh/contracts/events'
import { Heartbeat } from '@probe-mesh/contracts/heartbeat'
import { Run } from '@probe-mesh/contracts/run'
import { Timings } from '@probe-mesh/contracts/timings'
import { eventsRoute, routes } from '@probe-mesh/contracts/routes'
import type { Route } from '@probe-mesh/contracts/routes'
import { z } from 'zod'

type Json = { [key: string]: unknown }

/** Schemas that the document names once and refers to. */
const named = z.registry<{ id: string }>()
for (const [id, schema] of Object.entries({
  Check,
  CheckDetail,
  Flip,
  Heartbeat,
  Me,
  Problem,
  RegionStatus,
  Run,
  Series,
  SeriesPoint,
  StoredReading,
  Timings,
  Uptime,
})) {
  named.add(schema, { id })
}

/**
 * The OpenAPI 3.1 document of the route table. Pure: the same table makes the same document.
 * @param serverUrl where `{api_url}` is, such as `http://127.0.0.1:8080/v1` or the relative `/v1`
 */
export const openApiDocument = (serverUrl: string): Json => {
  const components: Json = {}
  const paths: Record<string, Json> = {}
  const add = (name: string, route: Route, mediaType: string): void => {
    const path = route.path.replace(/:(\w+)/g, '{$1}')
    const operation = describeOperation(name, route, mediaType, components)
    paths[path] = { ...paths[path], [route.method.toLowerCase()]: operation }
  }
  for (const [name, route] of Object.entries<Route>(routes)) add(name, route, 'application/json')
  add('streamEvents', eventsRoute, 'text/event-stream')
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
    paths,
    components: {
      securitySchemes: { apiKey: { type: 'http', scheme: 'bearer' } },
      schemas: sortKeys(components),
      responses: problemResponses(),
    },
  }
}

const describeOperation = (
  name: string,
  route: Route,
  mediaType: string,
  components: Json,
): Json => ({
  operationId: name,
  summary: route.summary,
  description: `Needs a key of scope \`${route.scope}\`; spends the budget of ${route.budget}.`,
  ...(route.params === undefined && route.query === undefined
    ? {}
    : {
        parameters: [
          ...parameters('path', route.params, components),
          ...parameters('query', route.query, components),
        ],
      }),
  ...(route.body === undefined
    ? {}
    : {
        requestBody: {
          required: true,
          content: { 'application/json': { schema: toSchema(route.body, 'input', components) } },
        },
      }),
  responses: {
    [route.success]: {
      description: route.success === 201 ? 'Created' : 'Done',
      headers: budgetHeaders,
      content: { [mediaType]: { schema: toSchema(route.output, 'output', components) } },
    },
    ...problemReferences(route),
  },
})

const budgetHeaders = {
  'RateLimit-Policy': { schema: { type: 'string' }, description: 'Quota and window of the budget' },
  RateLimit: {
    schema: { type: 'string' },
    description: 'What is left, and seconds to its renewal',
  },
}

const parameters = (
  where: 'path' | 'query',
  schema: z.ZodObject | undefined,
  components: Json,
): Json[] => {
  if (schema === undefined) return []
  return Object.entries(schema.shape).map(([name, field]) => ({
    name,
    in: where,
    required: where === 'path',
    schema: toSchema(asField(field), 'input', components),
  }))
}

/** The table's schemas are zod's own: a shape holds nothing else. */
const asField = (field: z.core.$ZodType): z.ZodType => field as z.ZodType

/** A JSON schema whose named parts have moved to `components`. */
const toSchema = (schema: z.ZodType, io: 'input' | 'output', components: Json): Json => {
  const {
    $schema: _,
    $defs = {},
    ...own
  } = asJson(
    z.toJSONSchema(schema, {
      io,
      metadata: named,
      unrepresentable: 'any',
      override: ({ jsonSchema }) => {
        // answers may gain fields: only what is sent is closed
        if (io === 'output') delete jsonSchema.additionalProperties
      },
    }),
  )
  for (const [id, definition] of Object.entries(asJson($defs))) {
    components[id] = withoutId(asJson(definition))
  }
  return withoutId(own)
}

const withoutId = (schema: Json): Json =>
  Object.fromEntries(Object.entries(schema).filter(([key]) => key !== 'id'))

/** Plain JSON with references pointed to where named schemas live in the document. */
const asJson = (value: unknown): Json =>
  JSON.parse(JSON.stringify(value).replaceAll('"#/$defs/', '"#/components/schemas/'))

const sortKeys = (value: Json): Json =>
  Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1)))

/** The codes that a keyed route may answer with. */
export const routeCodes = (route: Route): RefusalCode[] => [
  'SV-1001',
  'SV-1002',
  'SV-1003',
  ...(route.scope === 'read_write' ? (['SV-1004'] as const) : []),
  'SV-2001',
  ...(route.params === undefined ? [] : (['SV-3001'] as const)),
  ...(route.path === '/checks/:id/run' ? (['SV-3005'] as const) : []),
  ...(route.method === 'PATCH' ? (['SV-2002', 'SV-3005'] as const) : []),
  ...(route.success === 201 ? (['SV-2002', 'SV-4001', 'SV-4002', 'SV-5001'] as const) : []),
  route.budget === 'reads' ? 'SV-6001' : 'SV-6002',
  'SV-9001',
  'SV-9002',
]

/** Statuses of SV-2001 for a body that cannot even be read, beside those of the table. */
const unreadable = { 400: 'not JSON', 413: 'too large' } as const

const problemReferences = (route: Route): Json => {
  const ofCodes = routeCodes(route).map((code): number => refusals[code].status)
  const ofBody = route.body === undefined ? [] : Object.keys(unreadable).map(Number)
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
  return Object.fromEntries(
    [...titles]
      .toSorted(([a], [b]) => a - b)
      .map(([status, lines]) => [`Problem${status}`, { description: lines.join('; '), content }]),
  )
}
