import type { RouteCall } from '@probe-mesh/contracts/api/routes'
import type { CheckDraft } from '@probe-mesh/contracts/check/check-plan'
import type { Step } from './plan.ts'

type WriteRoute =
  | 'deleteCheck'
  | 'replaceCheck'
  | 'createCheck'
  | 'updateCheckRegions'
  | 'updateCheckAssertions'

/** One call of the API that changes something. */
export type Write = { [N in WriteRoute]: { route: N; input: RouteCall<N> } }[WriteRoute]

/** The calls of a step in order; at least one. */
export const writesOf = (step: Step): Write[] => {
  switch (step.kind) {
    case 'delete':
      return [deleting(step.check.id)]
    case 'replace':
      return [{ route: 'replaceCheck', input: { params: { id: step.check.id }, body: step.input } }]
    case 'create':
      return [{ route: 'createCheck', input: { body: step.input } }]
    case 'update':
      return updating(step)
    default:
      return step satisfies never
  }
}

const deleting = (id: string): Write => ({ route: 'deleteCheck', input: { params: { id } } })

const updating = ({ check, regions, assertions }: Extract<Step, { kind: 'update' }>): Write[] => {
  const params = { id: check.id }
  const writes: Write[] = []
  if (regions !== null) {
    writes.push({ route: 'updateCheckRegions', input: { params, body: { regions: [...regions] } } })
  }
  if (assertions !== null) {
    writes.push({ route: 'updateCheckAssertions', input: { params, body: assertions } })
  }
  return writes
}

/** The step as the API judges it before anything is written. */
export const draftOf = (step: Step): CheckDraft => {
  switch (step.kind) {
    case 'create':
      return { action: 'create', check: step.input }
    case 'replace':
      return { action: 'replace', id: step.check.id, check: step.input }
    case 'delete':
      return { action: 'delete', id: step.check.id }
    case 'update':
      return {
        action: 'update',
        id: step.check.id,
        ...(step.regions !== null && { check: { regions: [...step.regions] } }),
        ...(step.assertions !== null && { assertions: step.assertions }),
      }
    default:
      return step satisfies never
  }
}
