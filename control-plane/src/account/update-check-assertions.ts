import { toAssertions } from '@probe-mesh/contracts/assertions'
import type { Check } from '@probe-mesh/contracts/check'
import type { Refusal } from '@probe-mesh/contracts/refusal'
import type { RouteInput } from '@probe-mesh/contracts/routes'
import type { AccountContext, Caller } from './context.ts'
import { refuseOtherTypes } from './refuse-other-types.ts'
import { reviseCheck } from './revise-check.ts'

/** Replaces all assertion fields; without any, all are cleared (S-309). */
export const updateCheckAssertions = (
  context: Pick<AccountContext, 'sql' | 'answers' | 'targets' | 'rules' | 'now'>,
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
