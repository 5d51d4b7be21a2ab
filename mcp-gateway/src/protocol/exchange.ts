import type { IncomingHttpHeaders } from 'node:http'
import { accountToolNames, type Endpoint } from '@probe-mesh/contracts/api/tools'
import { plainProblem } from '@probe-mesh/contracts/schema/plain-problem'
import { fieldProblems, refuse } from '@probe-mesh/contracts/schema/refusal'
import { z } from 'zod'
import { callTool, problemOf, refusedCall, type Called, type Refused } from '../tools/call-tool.ts'
import { findTool, listCache, toolLists } from '../tools/tool-list.ts'
import { objectOf, problemResult, type ToolResult } from '../tools/tool-result.ts'
import { ControlPlaneUnavailable, type Caller, type ControlPlane } from '../upstream/control-plane.ts'
import type { KnownKeys } from '../upstream/known-keys.ts'
import { answerFormOf, asEvent } from './answer-form.ts'
import { answerBatch, refusedBatch } from './batch.ts'
import {
  errorAnswer,
  idOf,
  internalError,
  isUnanswered,
  refusalAnswer,
  resultAnswer,
  refusedOf,
  type HttpAnswer,
} from './json-rpc.ts'
import { plainRequest, type Era } from './plain-request.ts'
import { answerBySdk, unknownTool } from './sdk-exchange.ts'

export type ExchangeContext = {
  controlPlane: Pick<ControlPlane, 'call' | 'admit'>
  knownKeys: KnownKeys
  /** Counts a call: the tool's name, and `answered` or the code of the refusal. */
  onCall(tool: string, outcome: string): void
  /** Logs a fault of the gateway that does not end the request. */
  onFault(error: unknown): void
  now(): number
}

/** One POST as it arrived, its body parsed. */
type Post = { headers: IncomingHttpHeaders; body: unknown; caller: Caller }

type Args = Readonly<Record<string, unknown>>

const notAcceptable = {
  code: -32_600,
  message: 'Answers are application/json or text/event-stream, and Accept allows neither.',
}

/** Answers one POST of an endpoint: a message or, in the revisions that have them, a batch. */
export const answerPost = async (
  context: ExchangeContext,
  endpoint: Endpoint,
  post: Post,
): Promise<HttpAnswer> => {
  const { headers, body } = post
  const messages: readonly unknown[] = Array.isArray(body) ? body : [body]
  const form = answerFormOf(headers.accept)
  if (form === null && !messages.every(isUnanswered)) return errorAnswer(406, notAcceptable, idOf(body))
  const answer = Array.isArray(body)
    ? (refusedBatch(messages, headers['mcp-protocol-version']) ??
      (await answerBatch(
        messages,
        (message) => answerPart(context, endpoint, { ...post, body: message }),
        context.now,
      )))
    : await answerMessage(context, endpoint, post)
  return form === 'event' ? asEvent(answer) : answer
}

/** A fault of one message of a batch is not one of the others. */
const answerPart = async (context: ExchangeContext, endpoint: Endpoint, post: Post): Promise<HttpAnswer> => {
  try {
    return await answerMessage(context, endpoint, post)
  } catch (error) {
    context.onFault(error)
    return errorAnswer(500, internalError, idOf(post.body))
  }
}

/**
 * Answers one message. It answers the two frequent requests itself when they are plain; the SDK answers all others, and
 * would answer those two the same (`exchange.test.ts`).
 */
const answerMessage = async (
  context: ExchangeContext,
  endpoint: Endpoint,
  post: Post,
): Promise<HttpAnswer> => {
  const { headers, body, caller } = post
  const plain = plainRequest(headers, body)
  const run = (name: string, args: Args) => runTool(context, endpoint, name, args, caller)
  if (plain?.method === 'tools/call' && findTool(endpoint, plain.name) !== undefined) {
    // the control plane admits the caller when it is called
    const called = await run(plain.name, plain.args)
    return called.kind === 'result'
      ? resultAnswer(plain.id, called.result, plain.era)
      : refusalAnswer(called.refused, plain.id)
  }
  const refused = await admit(context, caller)
  if (refused !== null) return refusalAnswer(refused, idOf(body))
  if (plain?.method === 'tools/list') {
    return resultAnswer(plain.id, listResults[endpoint][plain.era], plain.era)
  }
  const wrong = wrongInitialize(body)
  if (wrong !== null) return errorAnswer(200, wrong, idOf(body))
  return answerBySdk(endpoint, post, async (name, args) => objectOf(resultIn(await run(name, args))))
}

const Initialize = z.object({
  protocolVersion: z.string(),
  capabilities: z.looseObject({}),
  clientInfo: z.looseObject({ name: z.string(), version: z.string() }),
})

/** The SDK calls wrong parameters of `initialize` an internal error, and shows the words of its validator. */
const wrongInitialize = (body: unknown): { code: number; message: string } | null => {
  if (typeof body !== 'object' || body === null || !('method' in body) || body.method !== 'initialize')
    return null
  const parsed = Initialize.safeParse('params' in body ? body.params : {}, { error: plainProblem })
  if (parsed.success) return null
  const problems = fieldProblems(parsed.error).map(({ path, message }) => `"${path}" ${message}`)
  return { code: -32_602, message: `Invalid params: ${problems.join(', ')}.` }
}

/** Calls a tool, and counts the call. @throws when no endpoint has the tool */
const runTool = async (
  context: ExchangeContext,
  endpoint: Endpoint,
  name: string,
  args: Args,
  caller: Caller,
): Promise<Called> => {
  const tool = findTool(endpoint, name)
  if (tool === undefined && !accountToolNames.has(name)) throw unknownTool(name)
  const called = tool === undefined ? refusedCall('SV-1006') : await callTool(context, tool, args, caller)
  context.onCall(name, called.kind === 'result' ? called.outcome : called.refused.code)
  return called
}

/** Through the SDK, the refusal of an admitted caller is a result with `isError`. */
const resultIn = (called: Called): ToolResult => {
  if (called.kind === 'result') return called.result
  const { problem, retryAfterSeconds } = called.refused
  return problemResult(JSON.stringify(problem), retryAfterSeconds)
}

/**
 * Admits a request that calls no route: a key must be known; without a key it uses a request of the address's
 * quota.
 * @returns null, or the refusal
 */
const admit = async (
  { controlPlane, knownKeys }: { controlPlane: Pick<ControlPlane, 'admit'>; knownKeys: KnownKeys },
  caller: Caller,
): Promise<Refused | null> => {
  const { authorization } = caller
  if (authorization !== null && knownKeys.knows(authorization)) return null
  try {
    const { status, body, retryAfterSeconds } = await controlPlane.admit(caller)
    if (status >= 300) {
      const problem = problemOf(body, status)
      return { ...problem, problem, retryAfterSeconds }
    }
  } catch (error) {
    if (error instanceof ControlPlaneUnavailable) return refusedOf(refuse('SV-9002'))
    throw error
  }
  if (authorization !== null) knownKeys.note(authorization)
  return null
}

const listResult = (endpoint: Endpoint): Readonly<Record<Era, ToolResult>> => {
  const tools = `"tools":${JSON.stringify(toolLists[endpoint])}`
  const cacheHints = JSON.stringify(listCache).slice(1, -1)
  return {
    legacy: { members: tools, meta: '' },
    modern: { members: `${tools},${cacheHints}`, meta: '' },
  }
}

/** The results of `tools/list`, as JSON text that is built once. */
const listResults = { public: listResult('public'), mcp: listResult('mcp') }
