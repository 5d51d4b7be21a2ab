import type { RouteCall } from '@probe-mesh/contracts/api/routes'
import type { Step } from './plan.ts'

type WriteRoute = 'deleteCheck' | 'createCheck' | 'updateCheckRegions' | 'updateCheckAssertions'

/** One call of the API that changes something. */
export type Write = { [N in WriteRoute]: { route: N; input: RouteCall<N> } }[WriteRoute]

/** The calls of a step in order; at least one. */
export const writesOf = (step: Step): Write[] => {
  switch (step.kind) {
    case 'delete':
      return [deleting(step.check.id)]
    case 'replace':
      return [deleting(step.check.id), { route: 'createCheck', input: { body: step.input } }]
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
