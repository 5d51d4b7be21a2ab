import type { ApiAnswer } from '@probe-mesh/contracts/api/route-client'
import type { FieldProblem, Problem } from '@probe-mesh/contracts/schema/refusal'

/** Why something was not done: a refusal of the API, or that there was no answer. */
export type Failure = {
  /** null where there was no answer. */
  code: string | null
  message: string
  errors: readonly FieldProblem[]
}

export type Answer<T> = { ok: true; value: T } | { ok: false; failure: Failure }

/** An answer without its headers. */
export const toAnswer = <T>(answer: ApiAnswer<T>): Answer<T> =>
  answer.ok ? { ok: true, value: answer.value } : { ok: false, failure: toFailure(answer.problem) }

const toFailure = ({ code, message, errors }: Problem): Failure => ({ code, message, errors })

/** "Not found", of what was asked for or of what holds it. */
export const isGone = ({ code }: Failure): boolean => code === 'SV-3001'

export const unanswered = (message: string): { ok: false; failure: Failure } => ({
  ok: false,
  failure: { code: null, message, errors: [] },
})

/** The same as the schema of a problem, which would be the only one that is loaded. */
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
