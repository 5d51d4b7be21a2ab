import { wordsOf } from '@probe-mesh/contracts/schema/field'
import { toolsOf, argumentOf, type Endpoint, type Tool } from '@probe-mesh/contracts/api/tools'
import { z } from 'zod'
import { compactOutput } from './compact-output.ts'

type Json = { [key: string]: unknown }

/**
 * The arguments of a tool as JSON Schema 2020-12, from the zod objects of the REST route: path parameters
 * under the tool's names, query and body fields.
 */
export const inputSchemaOf = (tool: Tool): Json => {
  const { route, hidden = [], required: demanded = [] } = tool
  const parts = [
    byArgument(tool, schemaOf(route.params, 'input')),
    schemaOf(route.query, 'input'),
    schemaOf(route.body, 'input'),
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
  const schema = schemaOf(route.output, 'output')
  return schema['type'] === 'object' ? compactOutput(schema) : null
}

const schemaOf = (schema: z.ZodType | undefined, io: 'input' | 'output'): Json => {
  if (schema === undefined) return {}
  const { $schema: _, ...own } = z.toJSONSchema(schema, {
    io,
    unrepresentable: 'any',
    // clients that strip `$defs` cannot resolve a reference, and one of them drops all tools then (D-mcp-refs)
    reused: 'inline',
    override: ({ zodSchema, jsonSchema }) => {
      shorten(jsonSchema)
      if (io === 'input') Object.assign(jsonSchema, wordsOf(zodSchema))
    },
  })
  return own
}

/** Drops redundant keywords: a model reads every word of all 24 tools. */
const shorten = (schema: z.core.JSONSchema.BaseSchema): void => {
  if (schema.format !== undefined) delete schema.pattern
  // the format says it
  if (schema.format === 'uuid') delete schema.examples
  if (schema.minimum === Number.MIN_SAFE_INTEGER) delete schema.minimum
  if (schema.maximum === Number.MAX_SAFE_INTEGER) delete schema.maximum
}

/** Path parameters under the tool's names for them. */
const byArgument = (tool: Tool, schema: Json): Json => {
  const properties = Object.entries((schema['properties'] as Json | undefined) ?? {})
  const required = (schema['required'] as string[] | undefined) ?? []
  return {
    properties: Object.fromEntries(properties.map(([own, part]) => [argumentOf(tool, own), part])),
    required: required.map((own) => argumentOf(tool, own)),
  }
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
