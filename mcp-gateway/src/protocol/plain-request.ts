import type { IncomingHttpHeaders } from 'node:http'
import {
  PROTOCOL_VERSION_META_KEY,
  SUPPORTED_PROTOCOL_VERSIONS,
  classifyInboundRequest,
} from '@modelcontextprotocol/server'

/** The revision without sessions and handshakes; older ones begin with `initialize`. */
export const modernRevision = '2026-07-28'
export type Era = 'legacy' | 'modern'

/** The form of nearly all requests: a plain `tools/list` or `tools/call`. */
type PlainRequest =
  | { method: 'tools/list'; era: Era; id: string | number }
  | {
      method: 'tools/call'
      era: Era
      id: string | number
      name: string
      args: Readonly<Record<string, unknown>>
    }

type Json = Readonly<Record<string, unknown>>

/**
 * Recognises the two frequent requests in the form that ordinary clients send.
 * @returns null for everything else, valid or not: the SDK answers it
 */
export const plainRequest = (headers: IncomingHttpHeaders, body: unknown): PlainRequest | null => {
  if (!isObject(body) || !hasOnly(body, messageKeys) || body['jsonrpc'] !== '2.0') return null
  const { id, method, params = {} } = body
  if (!isId(id) || !isObject(params)) return null
  const era = eraOf(headers, body, params)
  if (era === null) return null
  if (method === 'tools/list' && hasOnly(params, listKeys)) return { method, era, id }
  if (method !== 'tools/call' || !hasOnly(params, callKeys)) return null
  const { name, arguments: args = {} } = params
  if (typeof name !== 'string' || !isObject(args)) return null
  if (era === 'modern' && headers['mcp-name'] !== name) return null
  return { method, era, id, name, args }
}

const messageKeys = new Set(['jsonrpc', 'id', 'method', 'params'])
const listKeys = new Set(['_meta'])
const callKeys = new Set(['name', 'arguments', '_meta'])

/** The era of a well-formed request; the SDK checks the claims of a modern one. */
const eraOf = (headers: IncomingHttpHeaders, body: Json, params: Json): Era | null => {
  const version = headers['mcp-protocol-version']
  const meta = params['_meta'] ?? {}
  if (!isObject(meta)) return null
  if (!(PROTOCOL_VERSION_META_KEY in meta)) {
    return version === undefined || legacyVersions.has(version) ? plainLegacy(meta) : null
  }
  if (version !== modernRevision || headers['mcp-method'] !== body['method']) return null
  const { kind } = classifyInboundRequest({
    httpMethod: 'POST',
    protocolVersionHeader: modernRevision,
    ...named('mcpMethodHeader', headers['mcp-method']),
    ...named('mcpNameHeader', headers['mcp-name']),
    body,
  })
  return kind === 'modern' && meta[PROTOCOL_VERSION_META_KEY] === modernRevision ? 'modern' : null
}

const named = (name: string, value: unknown): object => (typeof value === 'string' ? { [name]: value } : {})

const legacyVersions: ReadonlySet<unknown> = new Set(
  SUPPORTED_PROTOCOL_VERSIONS.filter((version) => version < modernRevision),
)

/** Clients of that era send at most a progress token, which no tool here needs. */
const plainLegacy = (meta: Json): Era | null =>
  hasOnly(meta, legacyMetaKeys) && (meta['progressToken'] === undefined || isId(meta['progressToken']))
    ? 'legacy'
    : null
const legacyMetaKeys = new Set(['progressToken'])

const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const isId = (value: unknown): value is string | number =>
  typeof value === 'string' || Number.isSafeInteger(value)

const hasOnly = (value: Json, keys: ReadonlySet<string>): boolean => {
  for (const key in value) if (!keys.has(key)) return false
  return true
}
