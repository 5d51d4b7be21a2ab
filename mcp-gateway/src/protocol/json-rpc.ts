import { SERVER_INFO_META_KEY } from '@modelcontextprotocol/server'
import { toProblem } from '@probe-mesh/contracts/schema/refusal'
import type { Refusal } from '@probe-mesh/contracts/schema/refusal'
import type { Refused } from '../tools/call-tool.ts'
import type { ToolResult } from '../tools/tool-result.ts'
import type { Era } from './plain-request.ts'

/** An answer over HTTP: JSON text, or nothing. */
export type HttpAnswer = {
  status: number
  body: string | null
  headers?: Readonly<Record<string, string>>
}

export const serverInfo = { name: 'probe-mesh', title: 'Probe Mesh', version: '0.1.0' } as const

/** What the modern revision adds to every result (2026-07-28, "Results"). */
const modernMembers = `,"resultType":"complete"`
const modernMeta = `"${SERVER_INFO_META_KEY}":${JSON.stringify(serverInfo)}`

/** The answer to a request that was carried out. */
export const resultAnswer = (
  id: string | number,
  { members, meta }: ToolResult,
  era: Era,
): HttpAnswer => {
  const metas = [meta, era === 'modern' ? modernMeta : ''].filter((part) => part !== '').join(',')
  const own = `${members}${era === 'modern' ? modernMembers : ''}`
  const result = metas === '' ? own : `${own},"_meta":{${metas}}`
  return { status: 200, body: `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":{${result}}}` }
}

/** A refusal of the protocol's own: what is not JSON-RPC, or not this endpoint's. */
export const errorAnswer = (
  status: number,
  error: { code: number; message: string; data?: unknown },
  id: string | number | null = null,
): HttpAnswer => ({ status, body: JSON.stringify({ jsonrpc: '2.0', id, error }) })

export const refusedOf = (refusal: Refusal): Refused => ({
  status: refusal.status,
  code: refusal.refused,
  message: refusal.message,
  problem: toProblem(refusal),
  retryAfterSeconds: refusal.retryAfterSeconds,
})

/**
 * A refusal before any tool: no key, or the keyless budget. Its code is the number of ours, since
 * the protocol keeps -32000 to -32099 for itself.
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

/** RFC 6750 3: without credentials no error is named; nothing points to OAuth, which is not spoken. */
const challenge = (code: string): string =>
  code === 'SV-1001'
    ? 'Bearer realm="probe-mesh"'
    : 'Bearer realm="probe-mesh", error="invalid_token"'
