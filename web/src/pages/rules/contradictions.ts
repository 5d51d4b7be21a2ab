import { CreateAlertRuleInput } from '@probe-mesh/contracts/alert/alert-rule'
import { plainProblem } from '@probe-mesh/contracts/schema/plain-problem'
import { fieldProblems, refuse, toProblem } from '@probe-mesh/contracts/schema/refusal'
import type { FieldProblem, Problem } from '@probe-mesh/contracts/schema/refusal'
import { ruleIn } from './rule-form.ts'

/**
 * A form that says all where boxes are ticked says two things, of which saving would drop one. It is
 * refused like what the API refuses, with all else that is wrong with it; null where it says one
 * thing. Pure.
 */
export const contradictionIn = (form: URLSearchParams): Problem | null => {
  const contradictions = [
    ...contradiction(form, { field: 'checks', boxes: 'checkIds' }),
    ...contradiction(form, { field: 'channels', boxes: 'channelIds' }),
  ]
  if (contradictions.length === 0) return null
  const parsed = CreateAlertRuleInput.safeParse(ruleIn(form), { error: plainProblem })
  const others = parsed.success ? [] : fieldProblems(parsed.error)
  return toProblem(refuse('SV-2001', { errors: [...contradictions, ...others] }))
}

const contradiction = (
  form: URLSearchParams,
  { field, boxes }: { field: 'checks' | 'channels'; boxes: string },
): FieldProblem[] => {
  const ticked = new Set(form.getAll(boxes)).size
  if (form.get(field) === 'some' || ticked === 0) return []
  const one = field.slice(0, -1)
  const message = `all ${field} are chosen, and ${ticked} ${ticked === 1 ? `${one} is` : `${field} are`} ticked below: untick ${ticked === 1 ? 'it' : 'them'}, or choose those that are ticked`
  return [{ path: field, message }]
}
