import { note, share } from './draft.ts'
import type { Draft } from './draft.ts'
import { unassertable } from './assertable.ts'
import { bodyRead } from './request.ts'

/** A number that is not written as it is printed, and null, which here equals its own text. */
const otherwise = /^[-+]?0[xob]?[\da-f_]+$|^[-+]?\d[\d_]*(?:\.\d*)?(?:e[-+]?\d+)?$|^null$/i

/**
 * Asserts a value in the JSON of a body; a check has one such assertion.
 * @param path one that `parseJsonPath` takes
 * @returns why it cannot; null where it is asserted
 */
export const assertJson = (
  draft: Draft,
  field: string,
  json: { path: string } & ({ op: 'exists' } | { op: 'equals' | 'contains'; value: string }),
): string | null => {
  if (draft.fields.assertionJsonPath !== undefined) return 'a check asserts one JSON path'
  if (json.op !== 'exists') {
    const problem = unassertable(json.value, true)
    if (problem !== null) return problem
    if (otherwise.test(json.value) && String(Number(json.value)) !== json.value) {
      note(draft, field, 'numbers are compared by value here, and null equals the text null')
    }
    draft.fields.assertionJsonValue = json.value
  }
  draft.fields.assertionJsonPath = json.path
  draft.fields.assertionJsonOp = json.op
  share(draft, 'body', bodyRead)
  return null
}
