import { SERVER_INFO_META_KEY } from '@modelcontextprotocol/server'
import { toProblem, type Refusal } from '@probe-mesh/contracts/schema/refusal'
import manifest from '../../package.json' with { type: 'json' }
import type { Refused } from '../tools/call-tool.ts'
import type { ToolResult } from '../tools/tool-result.ts'
import type { Era } from './plain-request.ts'

/** An answer over HTTP: JSON text, or nothing. */
export type HttpAnswer = {
  status: number
  body: string | null
  headers?: Readonly<Record<string, string>>
}

export const serverInfo = { name: 'probe-mesh', title: 'Probe Mesh', version: manifest.version }

/** Members that the revision 2026-07-28 adds to every result. */
const modernMembers = `,"resultType":"complete"`
const modernMeta = `"${SERVER_INFO_META_KEY}":${JSON.stringify(serverInfo)}`

/** The response with a result. */
export const resultAnswer = (id: string | number, { members, meta }: ToolResult, era: Era): HttpAnswer => {
  const metas = [meta, era === 'modern' ? modernMeta : ''].filter((part) => part !== '').join(',')
  const own = `${members}${era === 'modern' ? modernMembers : ''}`
  const result = metas === '' ? own : `${own},"_meta":{${metas}}`
  return { status: 200, body: `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":{${result}}}` }
}

/** An error of the protocol: the request is not JSON-RPC, or not for this endpoint. */
export const errorAnswer = (
  status: number,
  error: { code: number; message: string; data?: unknown },
  id: string | number | null = null,
): HttpAnswer => ({ status, body: JSON.stringify({ jsonrpc: '2.0', id, error }) })

/** The id for the response, when the message is a request with an id. */
export const idOf = (message: unknown): string | number | null => {
  if (typeof message !== 'object' || message === null || !('method' in message) || !('id' in message))
    return null
  return typeof message.id === 'string' || typeof message.id === 'number' ? message.id : null
}

/** A notification, or the response of a client: there is nothing to answer. */
export const isUnanswered = (message: unknown): boolean => {
  if (typeof message !== 'object' || message === null) return false
  return 'method' in message ? !('id' in message) : 'result' in message || 'error' in message
}

export const internalError = {
  code: -32_603,
  message: 'An internal error occurred and was logged. Try again.',
}

export const refusedOf = (refusal: Refusal): Refused => ({
  status: refusal.status,
  code: refusal.refused,
  message: refusal.message,
  problem: toProblem(refusal),
  retryAfterSeconds: refusal.retryAfterSeconds,
})

/**
 * A refusal before any tool: no key, or no quota without a key. Its code is the number of the API's code,
 * since the protocol reserves -32000 to -32099.
 */
export const refusalAnswer = (refused: Refused, id: string | number | null): HttpAnswer => {
  const { status, code, message, problem, retryAfterSeconds } = refused
  const error = { code: Number(code.slice('SV-'.length)), message, data: problem }
  return {
    ...errorAnswer(status, error, id),
    headers: {
      ...(status === 401 ? { 'www-authenticate': challenge(code) } : {}),
      ...(retryAfterSeconds === undefined ? {} : { 'retry-after': String(retryAfterSeconds) }),
    },
  }
}

/** RFC 6750 3: no error code without credentials, and no pointer to OAuth, which is not supported. */
const challenge = (code: string): string =>
  code === 'SV-1001' ? 'Bearer realm="probe-mesh"' : 'Bearer realm="probe-mesh", error="invalid_token"'
