import type { Check } from '@probe-mesh/contracts/check'
import { refuse } from '@probe-mesh/contracts/refusal'
import type { Refusal } from '@probe-mesh/contracts/refusal'
import type { RouteInput } from '@probe-mesh/contracts/routes'
import type { AccountContext, Caller } from './context.ts'
import { resolveRegions } from './live-regions.ts'
import { placeCheck } from './place-check.ts'
import { refuseOtherTypes } from './refuse-other-types.ts'
import { reviseCheck } from './revise-check.ts'

/** Changes the regions of a check; the full live set makes `allRegions` true. */
export const updateCheckRegions = (
  context: Pick<AccountContext, 'sql' | 'answers' | 'targets' | 'rules' | 'now'>,
  caller: Caller,
  input: RouteInput<'updateCheckRegions'>,
): Promise<Check | Refusal> =>
  reviseCheck(context, caller, 'updateCheckRegions', input.params.id, (check, tx) => {
    const resolved = resolveRegions(input.body.regions, context.rules.regions)
    if (!resolved.ok) return refuse('SV-2001', { errors: resolved.problems })
    return (
      refuseOtherTypes(check) ?? placeCheck(tx, check, input.body.regions, context.rules.regions)
    )
  })
