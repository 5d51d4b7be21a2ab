import { describeFields, wordsOf, type Json } from '@probe-mesh/contracts/api/field-words/describe-fields'
import { routes } from '@probe-mesh/contracts/api/routes'
import { answerRoutes } from '@probe-mesh/contracts/outage/answer-routes'
import { toolsOf, argumentOf, type Endpoint, type Tool } from '@probe-mesh/contracts/api/tools'
import { z } from 'zod'

/**
 * The arguments of a tool as JSON Schema 2020-12, from the zod objects of the REST route: path parameters
 * under the tool's names, query and body fields.
 */
export const inputSchemaOf = (tool: Tool): Json => {
  const { route, hidden = [], required: demanded = [] } = tool
  const owner = routeNameOf(route)
  const parts = [
    byArgument(tool, schemaOf(route.params, 'input', [owner])),
    schemaOf(route.query, 'input', [owner]),
    schemaOf(route.body, 'input', [owner]),
  ]
  const properties = parts.flatMap((part) => Object.entries((part['properties'] as Json) ?? {}))
  const required = [...parts.flatMap((part) => (part['required'] as string[] | undefined) ?? []), ...demanded]
  return {
    type: 'object',
    properties: Object.fromEntries(properties.filter(([name]) => !hidden.includes(name))),
    ...(required.length === 0 ? {} : { required }),
    additionalProperties: false,
  }
}

/**
 * The result of a call, or null if it may be JSON's null, which is not valid structured content:
 * `get_active_maintenance_window` (S-2503).
 */
const outputSchemaOf = ({ route }: Tool): Json | null => {
  const schema = schemaOf(route.output, 'output', [routeNameOf(route)])
  return schema['type'] === 'object' ? schema : null
}

const keyOf = ({ method, path }: Tool['route']): string => `${method} ${path}`
const routeNames = new Map(
  Object.entries<Tool['route']>({ ...routes, ...answerRoutes }).map(([name, route]) => [keyOf(route), name]),
)
const routeNameOf = (route: Tool['route']): string => routeNames.get(keyOf(route)) ?? ''

/** A schema whose fields have the words of the API's documents. @param owners of the words */
const schemaOf = (schema: z.ZodType | undefined, io: 'input' | 'output', owners: readonly string[]): Json => {
  if (schema === undefined) return {}
  const { $schema: _, ...own } = z.toJSONSchema(schema, {
    io,
    unrepresentable: 'any',
    override: ({ jsonSchema }) => {
      // answers may gain fields: only arguments are closed
      if (io === 'output') delete jsonSchema.additionalProperties
      shorten(jsonSchema)
    },
  })
  const described = describeFields(own as Json, owners)
  // a model needs examples of what it writes, not of what it reads
  return io === 'input' ? described : withoutExamples(described)
}

const withoutExamples = (schema: Json): Json =>
  JSON.parse(
    JSON.stringify(schema, (key, value: unknown) => (key === 'examples' ? undefined : value)),
  ) as Json

/** Drops redundant keywords: a model reads every word of all 24 tools. */
const shorten = (schema: z.core.JSONSchema.BaseSchema): void => {
  if (schema.format !== undefined) delete schema.pattern
  if (schema.minimum === Number.MIN_SAFE_INTEGER) delete schema.minimum
  if (schema.maximum === Number.MAX_SAFE_INTEGER) delete schema.maximum
}

/** Path parameters under the tool's names for them. */
const byArgument = (tool: Tool, schema: Json): Json => {
  const properties = Object.entries((schema['properties'] as Json | undefined) ?? {})
  const required = (schema['required'] as string[] | undefined) ?? []
  return {
    properties: Object.fromEntries(properties.map(([own, part]) => namedArgument(tool, own, part as Json))),
    required: required.map((own) => argumentOf(tool, own)),
  }
}

const namedArgument = (tool: Tool, own: string, schema: Json): [string, Json] => {
  const argument = argumentOf(tool, own)
  // `checkId` says more than `id`
  const words = own === 'id' ? wordsOf([], argument) : null
  return [argument, words === null ? schema : { ...schema, description: words.description }]
}

/** A tool as clients see it. */
type ListedTool = {
  name: string
  title: string
  description: string
  inputSchema: { [key: string]: unknown; type: 'object' }
  outputSchema?: { [key: string]: unknown; type: 'object' }
  annotations: Tool['annotations']
}

/** How long a client may cache the list: it changes only with releases, and is the same for all clients. */
export const listCache = { ttlMs: 300_000, cacheScope: 'public' } as const

const listed = (tool: Tool): ListedTool => {
  const outputSchema = outputSchemaOf(tool)
  return {
    name: tool.name,
    title: tool.title,
    description: tool.description,
    inputSchema: inputSchemaOf(tool) as ListedTool['inputSchema'],
    ...(outputSchema === null
      ? {}
      : { outputSchema: outputSchema as NonNullable<ListedTool['outputSchema']> }),
    annotations: tool.annotations,
  }
}

/** Built once: 24 schemas cost more than a hundred calls. */
export const toolLists: Readonly<Record<Endpoint, readonly ListedTool[]>> = {
  public: toolsOf.public.map(listed),
  mcp: toolsOf.mcp.map(listed),
}

const byName = (endpoint: Endpoint): ReadonlyMap<string, Tool> =>
  new Map(toolsOf[endpoint].map((tool) => [tool.name, tool]))

const tools = { public: byName('public'), mcp: byName('mcp') }

export const findTool = (endpoint: Endpoint, name: string): Tool | undefined => tools[endpoint].get(name)
