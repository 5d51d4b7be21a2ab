import { allowNothing } from '@probe-mesh/contracts/target/address'
import { targetProblem } from '@probe-mesh/contracts/target/target'
import type { TargetRule } from '@probe-mesh/contracts/target/target'
import { isStorable } from './assertable.ts'
import { note, skip } from './draft.ts'
import type { Draft } from './draft.ts'

/** What an operator may open: elsewhere the API refuses it. */
const openable: ReadonlySet<TargetRule> = new Set(['address', 'host_localhost'])

/**
 * Holds the URL to the rule of the API, for `apply` stops at the first URL that it refuses. What
 * some operator may have opened is carried with a note.
 */
export const carryUrl = (draft: Draft, field: string): void => {
  draft.url = draft.url.trim()
  if (draft.url === '') return skip(draft, field, 'is missing')
  if (!isStorable(draft.url)) return skip(draft, field, 'has NUL or half of a surrogate pair')
  const problem = targetProblem(draft.url, { allow: allowNothing })
  if (problem === null) return
  if (!openable.has(problem.rule)) return skip(draft, field, problem.message)
  note(draft, field, `is refused unless the operator allows the address: ${problem.message}`)
}
