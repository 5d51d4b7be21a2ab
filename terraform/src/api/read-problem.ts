import type { Problem } from '@probe-mesh/contracts/schema/refusal'

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
