import { toAssertions } from '@probe-mesh/contracts/check/assertions'
import type { Check } from '@probe-mesh/contracts/check/check'
import type { Refusal } from '@probe-mesh/contracts/schema/refusal'
import type { RouteInput } from '@probe-mesh/contracts/api/routes'
import type { Caller } from '../operations/context.ts'
import type { CheckContext } from './check-context.ts'
import { reviseCheck } from './revise-check.ts'
import { isRefusal, refuse } from '@probe-mesh/contracts/schema/refusal'
import type { CheckRecord } from '../check-record/check-record.ts'
import { httpConfig } from './draft-check.ts'
import { resolveRegions, placeCheck } from './check-regions.ts'
import { refuseLongTimeout } from './check-interval.ts'
import type { CheckChange } from './revise-check.ts'

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

/**
 * Changes the regions of a check, of which the full live set makes `allRegions` true, how long an attempt may
 * take, and what a refusal means: what is left out stays.
 */
export const updateCheckRegions = (
  context: Pick<CheckContext, 'sql' | 'answers' | 'targets' | 'rules' | 'now'>,
  caller: Caller,
  { params, body }: RouteInput<'updateCheckRegions'>,
): Promise<Check | Refusal> =>
  reviseCheck(context, caller, 'updateCheckRegions', params.id, async (check, tx) => {
    const { regions, ...said } = body
    if (Object.keys(body).length === 0) return refuse('SV-2001', { message: nothingSaid })
    const live = context.rules.regions
    const resolved = regions === undefined ? null : resolveRegions(regions, live)
    if (resolved !== null && !resolved.ok) return refuse('SV-2001', { errors: resolved.problems })
    const other = refuseOtherTypes(check)
    if (other !== null) return other
    const changed = judgingChange(check, said)
    if (isRefusal(changed)) return changed
    const placed = regions === undefined ? {} : await placeCheck(tx, check, regions, live)
    return isRefusal(placed) ? placed : { ...placed, ...changed }
  })

const nothingSaid = 'The body names nothing to change: regions, timeoutSeconds or refusedAs.'

/** What an edit of an http check may say beside its regions; `null` takes the timeout back. */
type Judging = {
  sendRegion?: boolean | undefined
  timeoutSeconds?: number | null | undefined
  refusedAs?: 'down' | 'blocked' | undefined
}

/** What becomes of an http check's config; SV-2001 where the interval has no room for the timeout. Pure. */
export const judgingChange = (
  { config, intervalSeconds }: Pick<CheckRecord, 'config' | 'intervalSeconds'>,
  said: Judging,
): CheckChange | Refusal => {
  if (config.type !== 'http') return {}
  const { timeoutSeconds = config.timeoutSeconds } = said
  const next = httpConfig({
    sendRegion: said.sendRegion ?? config.sendRegion,
    timeoutSeconds: timeoutSeconds ?? undefined,
    refusedAs: said.refusedAs ?? config.refusedAs,
  })
  // a timeout that stays is not held against the interval again
  const isSaid = typeof said.timeoutSeconds === 'number'
  const tooLong = isSaid ? refuseLongTimeout(next, intervalSeconds) : null
  return tooLong ?? { config: next }
}

/** Over REST only `http` checks are created and changed (S-202). */
const refuseOtherTypes = (check: CheckRecord): Refusal | null =>
  check.type === 'http'
    ? null
    : refuse('SV-3005', {
        message: `This is a ${check.type} check. The REST API edits http checks only; use the dashboard.`,
      })
