import type { Endpoint } from '@probe-mesh/contracts/api/tools'
import { listCache, toolLists } from '../tools/tool-list.ts'
import type { ToolResult } from '../tools/tool-result.ts'
import type { Era } from './plain-request.ts'

const cache = JSON.stringify(listCache).slice(1, -1)

const made = (endpoint: Endpoint): Readonly<Record<Era, ToolResult>> => {
  const tools = `"tools":${JSON.stringify(toolLists[endpoint])}`
  return {
    legacy: { members: tools, meta: '' },
    modern: { members: `${tools},${cache}`, meta: '' },
  }
}

const lists = { public: made('public'), mcp: made('mcp') }

/** The result of `tools/list` as JSON text made once. */
export const listResult = (endpoint: Endpoint, era: Era): ToolResult => lists[endpoint][era]
