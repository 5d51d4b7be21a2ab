import type { FieldProblem } from '@probe-mesh/contracts/schema/refusal'

/** URLs are shown and logged, so they cannot have secrets. */
export const secretProblems = (path: string, url: string): FieldProblem[] =>
  /\{\{\s*secret\b/.test(url)
    ? [{ path, message: 'a secret cannot be in a URL; send it in a header or in the body' }]
    : []
