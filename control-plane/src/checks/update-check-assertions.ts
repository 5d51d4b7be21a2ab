import { toAssertions } from '@probe-mesh/contracts/check/assertions'
import type { Check } from '@probe-mesh/contracts/check/check'
import type { Refusal } from '@probe-mesh/contracts/schema/refusal'
import type { RouteInput } from '@probe-mesh/contracts/api/routes'
import type { Caller } from '../operations/context.ts'
import type { CheckContext } from './check-context.ts'
import { refuseOtherTypes } from './refuse-other-types.ts'
import { reviseCheck } from './revise-check.ts'

/** Replaces all assertion fields; without any, all are cleared (S-309). */
export const updateCheckAssertions = (
  context: Pick<CheckContext, 'sql' | 'answers' | 'targets' | 'rules' | 'now'>,
  caller: Caller,
  input: RouteInput<'updateCheckAssertions'>,
): Promise<Check | Refusal> =>
  reviseCheck(
    context,
    caller,
    'updateCheckAssertions',
    input.params.id,
    (check) => refuseOtherTypes(check) ?? { assertions: toAssertions(input.body) },
  )
