import { toolsOf } from '@probe-mesh/contracts/api/tools'
import type { Endpoint, Tool } from '@probe-mesh/contracts/api/tools'
import { inputSchemaOf, outputSchemaOf } from './tool-schemas.ts'

/** A tool as clients see it. */
export type ListedTool = {
  name: string
  title: string
  description: string
  inputSchema: { [key: string]: unknown; type: 'object' }
  outputSchema?: { [key: string]: unknown; type: 'object' }
  annotations: Tool['annotations']
}

/** How long a client may keep the list: it changes with releases only, and is the same for all. */
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

/** Made once: 24 schemas cost more than a hundred calls. */
export const toolLists: Readonly<Record<Endpoint, readonly ListedTool[]>> = {
  public: toolsOf.public.map(listed),
  mcp: toolsOf.mcp.map(listed),
}

const byName = (endpoint: Endpoint): ReadonlyMap<string, Tool> =>
  new Map(toolsOf[endpoint].map((tool) => [tool.name, tool]))

const tools = { public: byName('public'), mcp: byName('mcp') }

export const findTool = (endpoint: Endpoint, name: string): Tool | undefined =>
  tools[endpoint].get(name)
