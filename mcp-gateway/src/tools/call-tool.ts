import type { Tool } from '@probe-mesh/contracts/api/tools'
import { answersPath } from '@probe-mesh/contracts/outage/answer-routes'
import { isRefusal, refuse, Problem, type Refusal } from '@probe-mesh/contracts/schema/refusal'
import {
  ControlPlaneUnavailable,
  type Answer,
  type Caller,
  type ControlPlane,
} from '../upstream/control-plane.ts'
import { toolRequest } from './tool-request.ts'
import { answerResult, problemResult, refusalResult, type ToolResult } from './tool-result.ts'

/** A result, or a refusal of the caller: no key, or no quota without a key. */
export type Called =
  | { kind: 'result'; result: ToolResult; outcome: string }
  | { kind: 'refused'; refused: Refused }

/** A problem of the API, and its HTTP status and headers. */
export type Refused = Pick<Problem, 'status' | 'code' | 'message'> & {
  problem: Problem
  retryAfterSeconds: number | undefined
}

/** Refusals that are the endpoint's and not a tool's (S-2505). */
const ofCaller = new Set(['SV-1001', 'SV-1002', 'SV-6004'])

/**
 * Calls the route of a tool. An expected refusal of the API is a result with `isError`, so that an assistant
 * can read it and react.
 * @throws when the response is not one of the API, which is a bug
 */
export const callTool = async (
  { controlPlane }: { controlPlane: Pick<ControlPlane, 'call'> },
  tool: Tool,
  args: Readonly<Record<string, unknown>>,
  caller: Caller,
): Promise<Called> => {
  const request = toolRequest(tool, 'scope' in tool.route ? '' : answersPath, args)
  if (isRefusal(request)) return refusedBefore(request)
  try {
    return calledOf(tool, await controlPlane.call(request, caller))
  } catch (error) {
    if (error instanceof ControlPlaneUnavailable) return refusedCall('SV-9002')
    throw error
  }
}

const calledOf = (tool: Tool, { status, body, retryAfterSeconds }: Answer): Called => {
  if (status >= 200 && status < 300) {
    return { kind: 'result', result: answerResult(tool, body), outcome: 'answered' }
  }
  const problem = problemOf(body, status)
  if (ofCaller.has(problem.code)) {
    return { kind: 'refused', refused: { ...problem, problem, retryAfterSeconds } }
  }
  return {
    kind: 'result',
    result: problemResult(body, retryAfterSeconds),
    outcome: problem.code,
  }
}

/** A refusal by the gateway, before the API. */
const refusedBefore = (refusal: Refusal): Called => ({
  kind: 'result',
  result: refusalResult(refusal),
  outcome: refusal.refused,
})

export const refusedCall = (code: 'SV-1006' | 'SV-9002'): Called => refusedBefore(refuse(code))

/** @throws when the response is neither a value nor a problem */
export const problemOf = (body: string, status: number): Problem => {
  const problem = Problem.safeParse(JSON.parse(body))
  if (problem.success) return problem.data
  throw new Error(`the control plane answered ${status} without a problem`)
}
