import type { ApiAnswer } from '@probe-mesh/contracts/api/route-client'
import type { FieldProblem, Problem } from '@probe-mesh/contracts/schema/refusal'

/** Why a call failed: the API refused it, or did not answer. */
export type Failure = {
  /** null: the API did not answer. */
  code: string | null
  message: string
  errors: readonly FieldProblem[]
}

export type Answer<T> = { ok: true; value: T } | { ok: false; failure: Failure }

/** The API's answer without its headers. */
export const toAnswer = <T>(answer: ApiAnswer<T>): Answer<T> =>
  answer.ok ? { ok: true, value: answer.value } : { ok: false, failure: toFailure(answer.problem) }

const toFailure = ({ code, message, errors }: Problem): Failure => ({ code, message, errors })

/** Whether the object, or the one that contains it, does not exist. */
export const isGone = ({ code }: Failure): boolean => code === 'SV-3001'

export const unanswered = (message: string): { ok: false; failure: Failure } => ({
  ok: false,
  failure: { code: null, message, errors: [] },
})

/** Accepts what the API's problem schema accepts, without loading zod for this one schema. */
export const readProblem = (answer: unknown): Problem | null => (isProblem(answer) ? answer : null)

const texts = ['type', 'title', 'detail', 'code', 'message']

const isProblem = (answer: unknown): answer is Problem =>
  isRecord(answer) &&
  texts.every((name) => typeof answer[name] === 'string') &&
  /^SV-\d{4}$/.test(String(answer['code'])) &&
  Number.isSafeInteger(answer['status']) &&
  Array.isArray(answer['errors']) &&
  answer['errors'].every(isFieldProblem)

const isFieldProblem = (value: unknown): boolean =>
  isRecord(value) && typeof value['path'] === 'string' && typeof value['message'] === 'string'

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null
