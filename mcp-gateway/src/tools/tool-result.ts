import type { Tool } from '@probe-mesh/contracts/api/tools'
import { toProblem, type Refusal } from '@probe-mesh/contracts/schema/refusal'
import { toolLists } from './tool-list.ts'

/** A result as JSON text: its members and those of `_meta`, without braces. */
export type ToolResult = { members: string; meta: string }

/** Tools that always answer with an object: only they have structured content. */
const structured: ReadonlySet<string> = new Set(
  toolLists.mcp.flatMap(({ name, outputSchema }) => (outputSchema === undefined ? [] : [name])),
)

/**
 * The body of the REST route as one text block, byte for byte, and the same as structured content (S-2503).
 * @param body JSON text as the control plane answered it
 */
export const answerResult = (tool: Tool, body: string): ToolResult => ({
  members: structured.has(tool.name) ? `${text(body)},"structuredContent":${body}` : text(body),
  meta: '',
})

/** A result with `isError`: the problem as the API returns it (S-2505). */
export const problemResult = (problem: string, retryAfterSeconds?: number): ToolResult => ({
  members: `${text(problem)},"structuredContent":${problem},"isError":true`,
  meta: retryAfterSeconds === undefined ? '' : `"probe-mesh/retryAfterSeconds":${retryAfterSeconds}`,
})

/** The result as an object. */
export const objectOf = ({ members, meta }: ToolResult): object =>
  JSON.parse(`{${members}${meta === '' ? '' : `,"_meta":{${meta}}`}}`) as object

export const refusalResult = (refusal: Refusal): ToolResult =>
  problemResult(JSON.stringify(toProblem(refusal)), refusal.retryAfterSeconds)

const text = (body: string): string => `"content":[{"type":"text","text":${JSON.stringify(body)}}]`
