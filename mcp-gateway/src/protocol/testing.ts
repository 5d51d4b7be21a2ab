import type { IncomingHttpHeaders } from 'node:http'
import type { Answer, ApiRequest, Caller } from '../upstream/control-plane.ts'
import { createKnownKeys } from '../upstream/known-keys.ts'
import type { ExchangeContext } from './exchange.ts'
import { modernRevision } from './plain-request.ts'

const keyed: Caller = { authorization: 'Bearer of-a-test', address: '192.0.2.1' }

/** A control plane with answers of a test, and the requests that it received. */
export const contextOf = (
  answer: (request: ApiRequest) => Partial<Answer> = () => ({}),
  admitted: Partial<Answer> = { status: 204, body: '' },
) => {
  const asked: ApiRequest[] = []
  const called: string[] = []
  let admissions = 0
  const whole = (part: Partial<Answer>): Answer => ({
    status: 200,
    body: '{"checks":[]}',
    retryAfterSeconds: undefined,
    ...part,
  })
  const context: ExchangeContext = {
    controlPlane: {
      call: async (request) => {
        asked.push(request)
        return whole(answer(request))
      },
      admit: async () => {
        admissions += 1
        return whole(admitted)
      },
    },
    knownKeys: createKnownKeys(Date.now),
    onCall: (tool, outcome) => called.push(`${tool} ${outcome}`),
    onFault: () => {},
    now: Date.now,
  }
  return { context, asked, called, admissions: () => admissions }
}

const accept = 'application/json, text/event-stream'

/** A request of a client of the revisions before 2026-07-28. */
export const legacyPost = (method: string, params?: object, id: unknown = 1) => ({
  headers: { accept, 'content-type': 'application/json' } satisfies IncomingHttpHeaders,
  body: { jsonrpc: '2.0', id, method, ...(params === undefined ? {} : { params }) },
  caller: keyed,
})

/** The same for a client of 2026-07-28. */
export const modernPost = (
  method: string,
  params: Readonly<Record<string, unknown>> = {},
  id: unknown = 1,
) => ({
  headers: {
    accept,
    'content-type': 'application/json',
    'mcp-protocol-version': modernRevision,
    'mcp-method': method,
    ...(typeof params['name'] === 'string' ? { 'mcp-name': params['name'] } : {}),
  } satisfies IncomingHttpHeaders,
  body: {
    jsonrpc: '2.0',
    id,
    method,
    params: {
      ...params,
      _meta: {
        'io.modelcontextprotocol/protocolVersion': modernRevision,
        'io.modelcontextprotocol/clientCapabilities': {},
        'io.modelcontextprotocol/clientInfo': { name: 'a test', version: '1.0.0' },
      },
    },
  },
  caller: keyed,
})
