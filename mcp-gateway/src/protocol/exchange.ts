import { refuse } from '@probe-mesh/contracts/schema/refusal'
import { accountToolNames } from '@probe-mesh/contracts/api/tools'
import type { Endpoint, Tool } from '@probe-mesh/contracts/api/tools'
import type { IncomingHttpHeaders } from 'node:http'
import { callTool } from '../tools/call-tool.ts'
import type { Called } from '../tools/call-tool.ts'
import { findTool } from '../tools/tool-list.ts'
import { objectOf, problemResult, refusalResult } from '../tools/tool-result.ts'
import type { Caller, ControlPlane } from '../upstream/control-plane.ts'
import type { KnownKeys } from '../upstream/known-keys.ts'
import { admit } from './admit.ts'
import { errorAnswer, refusalAnswer, resultAnswer } from './json-rpc.ts'
import type { HttpAnswer } from './json-rpc.ts'
import { listResult } from './list-result.ts'
import { plainRequest } from './plain-request.ts'
import { answerBySdk } from './sdk-exchange.ts'
import { unknownTool } from './sdk-server.ts'

export type ExchangeContext = {
  controlPlane: Pick<ControlPlane, 'call' | 'admit'>
  knownKeys: KnownKeys
  /** Counts a call: the tool's name, and `answered` or the code of the refusal. */
  onCall(tool: string, outcome: string): void
}

/** One POST as it arrived, its body parsed. */
export type Post = { headers: IncomingHttpHeaders; body: unknown; caller: Caller }

/** "MUST be a single message" (2025-06-18). */
const batch = { code: -32_600, message: 'Send one message, not an array of them.' }

/**
 * Answers one POST of an endpoint. The two hot requests, where nothing about them is unusual, are
 * answered here; all others by the SDK, which answers those two alike (`exchange.test.ts`).
 */
export const answerPost = async (
  context: ExchangeContext,
  endpoint: Endpoint,
  post: Post,
): Promise<HttpAnswer> => {
  const { headers, body, caller } = post
  if (Array.isArray(body)) return errorAnswer(400, batch)
  const plain = plainRequest(headers, body)
  if (plain?.method === 'tools/call') {
    const tool = findTool(endpoint, plain.name)
    // the control plane admits the caller when it is called
    if (tool !== undefined) {
      const called = await call(context, tool, plain.args, caller)
      return called.kind === 'result'
        ? resultAnswer(plain.id, called.result, plain.era)
        : refusalAnswer(called.refused, plain.id)
    }
  }
  const refused = await admit(context, caller)
  if (refused !== null) return refusalAnswer(refused, idOf(body))
  if (plain?.method === 'tools/list') {
    return resultAnswer(plain.id, listResult(endpoint, plain.era), plain.era)
  }
  return answerBySdk(endpoint, post, (name, args) => run(context, endpoint, name, args, caller))
}

const call = async (
  context: ExchangeContext,
  tool: Tool,
  args: Readonly<Record<string, unknown>>,
  caller: Caller,
): Promise<Called> => {
  const called = await callTool(context, tool, args, caller)
  context.onCall(tool.name, called.kind === 'result' ? called.outcome : called.refused.code)
  return called
}

/** A call that the SDK has read, of a caller who was admitted. @throws where no endpoint has the tool */
const run = async (
  context: ExchangeContext,
  endpoint: Endpoint,
  name: string,
  args: Readonly<Record<string, unknown>>,
  caller: Caller,
): Promise<object> => {
  const tool = findTool(endpoint, name)
  if (tool === undefined) {
    if (!accountToolNames.has(name)) throw unknownTool(name)
    context.onCall(name, 'SV-1006')
    return objectOf(refusalResult(refuse('SV-1006')))
  }
  const called = await call(context, tool, args, caller)
  if (called.kind === 'result') return objectOf(called.result)
  const { problem, retryAfterSeconds } = called.refused
  return objectOf(problemResult(JSON.stringify(problem), retryAfterSeconds))
}

/** The id to answer with, where the body is a request that has one. */
const idOf = (body: unknown): string | number | null => {
  if (typeof body !== 'object' || body === null || !('method' in body) || !('id' in body))
    return null
  return typeof body.id === 'string' || typeof body.id === 'number' ? body.id : null
}
