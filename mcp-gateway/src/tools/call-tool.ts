import type { Tool } from '@probe-mesh/contracts/api/tools'
import { answersPath } from '@probe-mesh/contracts/outage/answer-routes'
import { isRefusal, refuse, Problem } from '@probe-mesh/contracts/schema/refusal'
import type { Refusal } from '@probe-mesh/contracts/schema/refusal'
import { ControlPlaneAway } from '../upstream/control-plane.ts'
import type { Answer, Caller, ControlPlane } from '../upstream/control-plane.ts'
import { toolRequest } from './tool-request.ts'
import { answerResult, problemResult, refusalResult } from './tool-result.ts'
import type { ToolResult } from './tool-result.ts'

/** A result to give, or a refusal of the caller as such: no key, or the keyless budget. */
export type Called =
  | { kind: 'result'; result: ToolResult; outcome: string }
  | { kind: 'refused'; refused: Refused }

/** A problem as the API says it, and what HTTP says of it. */
export type Refused = Pick<Problem, 'status' | 'code' | 'message'> & {
  problem: Problem
  retryAfterSeconds: number | undefined
}

/** Refusals that are the endpoint's and not a tool's (S-2505). */
const ofCaller = new Set(['SV-1001', 'SV-1002', 'SV-6004'])

/**
 * Calls the route of a tool and gives what it answers: every expected no of the API is a result with
 * `isError`, so that an assistant reads it and does something else.
 * @throws what is no answer of the API: a bug there or here
 */
export const callTool = async (
  { controlPlane }: { controlPlane: Pick<ControlPlane, 'call'> },
  tool: Tool,
  args: Readonly<Record<string, unknown>>,
  caller: Caller,
): Promise<Called> => {
  const request = toolRequest(tool, 'scope' in tool.route ? '' : answersPath, args)
  if (isRefusal(request)) return resultOf(request)
  try {
    return calledOf(tool, await controlPlane.call(request, caller))
  } catch (error) {
    if (error instanceof ControlPlaneAway) return resultOf(refuse('SV-9002'))
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

/** What was refused here, and so never reached the API. */
const resultOf = (refusal: Refusal): Called => ({
  kind: 'result',
  result: refusalResult(refusal),
  outcome: refusal.refused,
})

/** @throws where an answer is neither a value nor a problem */
export const problemOf = (body: string, status: number): Problem => {
  const problem = Problem.safeParse(JSON.parse(body))
  if (problem.success) return problem.data
  throw new Error(`the control plane answered ${status} without a problem`)
}
